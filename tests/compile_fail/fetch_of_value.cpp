// expect: trawl: only a Lazy can be fetched
#include <trawl/trawl.hpp>

long f(long n) {
  return n;
}

int main() {
  return trawl::fetch(f(4)) == 4;
}
