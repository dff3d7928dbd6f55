// Late start: the root prepares everything before it makes its first spark.
#include <vector>

#include <trawl/trawl.hpp>

long piece(long micros) {
  trawl::work(micros * 1000);
  return 1;
}

int root() {
  trawl::work(60'000'000);
  std::vector<trawl::Lazy<long>> pieces;
  for (int i = 0; i < 400; ++i) pieces.push_back(trawl::par(trawl::lazy<piece>(1000L)));
  long sum = 0;
  for (const auto& each : pieces) sum += trawl::force(each);
  return sum == 400 ? 0 : 1;
}

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
