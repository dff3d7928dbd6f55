// expect: trawl: the function can't be called with these arguments.
#include <trawl/trawl.hpp>

long f(long n) {
  return n;
}

int main() {
  auto x = trawl::spawn<f>(1, 2);
  return static_cast<int>(x.sync());
}
