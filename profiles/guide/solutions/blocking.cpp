// blocking.cpp, cured: what a piece can do without the one before it is a spark of its own, and so
// is what the root did; the chain itself is a loop.
#include <vector>

#include <trawl/trawl.hpp>

long alone(long micros) {
  trawl::work(micros * 1000);
  return 1;
}

long next(long value, long before) {
  return before + value;
}

int root() {
  std::vector<trawl::Lazy<long>> pieces;
  for (int i = 0; i < 200; ++i) pieces.push_back(trawl::par(trawl::lazy<alone>(500L)));
  std::vector<trawl::Lazy<long>> others;
  for (int i = 0; i < 100; ++i) others.push_back(trawl::par(trawl::lazy<alone>(500L)));
  long last = 0;
  for (const auto& piece : pieces) last = next(trawl::force(piece), last);
  for (const auto& other : others) trawl::force(other);
  return last == 200 ? 0 : 1;
}

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
