// expect: trawl: the function can't be called with these arguments.
#include <trawl/trawl.hpp>

long f(long n) {
  return n;
}

int main() {
  return static_cast<int>(trawl::force(trawl::lazy<f>("one")));
}
