// expect: trawl: the function can't be called with these arguments.
#include <trawl/trawl.hpp>

long f(long a, long b) {
  return a + b;
}

int main() {
  return static_cast<int>(trawl::force(trawl::lazy<f>(1)));
}
