// expect: trawl: what is lazy is a value, and never changes
#include <trawl/trawl.hpp>

long f(long n) {
  return n;
}

int main() {
  trawl::Lazy<const long> x;
  return x ? 1 : 0;
}
