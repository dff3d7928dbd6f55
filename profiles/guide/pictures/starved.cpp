// Starved: in each round there is work for two, whoever else is there.
#include <trawl/trawl.hpp>

long piece(long micros) {
  trawl::work(micros * 1000);
  return 1;
}

int root() {
  long sum = 0;
  for (int round = 0; round < 100; ++round) {
    const auto other = trawl::par(trawl::lazy<piece>(1000L));
    sum += piece(1000);
    sum += trawl::force(other);
  }
  return sum == 200 ? 0 : 1;
}

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
