// Tail: when nearly all is done, what is left goes one after the other.
#include <vector>

#include <trawl/trawl.hpp>

long piece(long micros) {
  trawl::work(micros * 1000);
  return 1;
}

long merge(long micros, long a, long b) {
  trawl::work(micros * 1000);
  return a + b;
}

int root() {
  std::vector<trawl::Lazy<long>> pieces;
  for (int i = 0; i < 400; ++i) pieces.push_back(trawl::par(trawl::lazy<piece>(1000L)));
  long sum = 0;
  for (const auto& each : pieces) sum += trawl::force(each);
  for (int i = 0; i < 50; ++i) sum = trawl::force(trawl::par(trawl::lazy<merge>(800L, sum, 0L)));
  return sum == 400 ? 0 : 1;
}

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
