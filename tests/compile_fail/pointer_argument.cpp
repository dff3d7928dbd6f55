// expect: trawl: a pointer means nothing on another PE
#include <trawl/trawl.hpp>

long f(const long* x) {
  return *x;
}

int main() {
  const long n = 3;
  return static_cast<int>(trawl::force(trawl::lazy<f>(&n)));
}
