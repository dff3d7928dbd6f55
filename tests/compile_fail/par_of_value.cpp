// expect: trawl: only a Lazy can be evaluated in parallel
#include <trawl/trawl.hpp>

long f(long n) {
  return n;
}

int main() {
  return trawl::par(3, f(4)) == 4;
}
