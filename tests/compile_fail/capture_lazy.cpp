// expect: trawl: a lambda with captures can't travel to another PE
#include <trawl/trawl.hpp>

int main() {
  const long n = 3;
  const auto x = trawl::lazy([n](long a) { return a + n; }, 4L);
  return static_cast<int>(trawl::force(trawl::par(x)));
}
