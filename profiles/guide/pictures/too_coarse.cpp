// Too coarse: twelve pieces for eight workers, and one of them is as long as all others.
#include <vector>

#include <trawl/trawl.hpp>

long piece(long micros) {
  trawl::work(micros * 1000);
  return 1;
}

int root() {
  std::vector<trawl::Lazy<long>> pieces;
  for (int i = 0; i < 12; ++i)
    pieces.push_back(trawl::par(trawl::lazy<piece>(i == 1 ? 60'000L : 5000L)));
  long sum = 0;
  for (const auto& each : pieces) sum += trawl::force(each);
  return sum == 12 ? 0 : 1;
}

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
