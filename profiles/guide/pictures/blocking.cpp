// A chain of blocking: each piece needs the value of the one before it, which somebody else has.
#include <trawl/trawl.hpp>

long next(long micros, const trawl::Lazy<long>& before) {
  const long value = trawl::force(before);
  trawl::work(micros * 1000);
  return value + 1;
}

int root() {
  trawl::Lazy<long> last(0);
  for (int i = 0; i < 200; ++i) last = trawl::par(trawl::lazy<next>(500L, last));
  trawl::work(50'000'000);  // meanwhile the others take them
  return trawl::force(last) == 200 ? 0 : 1;
}

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
