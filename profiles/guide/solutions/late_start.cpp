// late_start.cpp, cured: what is prepared are parts, sparked as well; each piece needs only its
// own.
#include <vector>

#include <trawl/trawl.hpp>

long prepare(long micros) {
  trawl::work(micros * 1000);
  return 1;
}

long piece(long micros, long prepared) {
  trawl::work(micros * 1000);
  return prepared;
}

int root() {
  std::vector<trawl::Lazy<long>> pieces;
  for (int part = 0; part < 40; ++part) {
    const auto prepared = trawl::par(trawl::lazy<prepare>(1500L));
    for (int i = 0; i < 10; ++i) pieces.push_back(trawl::lazy<piece>(1000L, prepared));
  }
  for (const auto& each : pieces) trawl::par(each);
  long sum = 0;
  for (const auto& each : pieces) sum += trawl::force(each);
  return sum == 400 ? 0 : 1;
}

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
