// expect: trawl: only a Lazy can be forced
#include <trawl/trawl.hpp>

long f(long n) {
  return n;
}

int main() {
  return trawl::force(3);
}
