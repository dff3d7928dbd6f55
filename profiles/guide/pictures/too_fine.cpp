// Too fine: a thread takes longer to make than the microsecond that it runs.
#include <vector>

#include <trawl/trawl.hpp>

long piece(long micros) {
  trawl::work(micros * 1000);
  return 1;
}

int root() {
  std::vector<trawl::Lazy<long>> pieces;
  for (int i = 0; i < 8000; ++i) pieces.push_back(trawl::par(trawl::lazy<piece>(1L)));
  long sum = 0;
  for (const auto& each : pieces) sum += trawl::force(each);
  return sum == 8000 ? 0 : 1;
}

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
