// expect: trawl: compare values: force(a) == force(b).
#include <trawl/trawl.hpp>

long f(long n) {
  return n;
}

int main() {
  return trawl::lazy<f>(1L) == trawl::lazy<f>(1L) ? 0 : 1;
}
