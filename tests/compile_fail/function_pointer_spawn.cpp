// expect: trawl: a function pointer means nothing on another PE
#include <trawl/trawl.hpp>

long f(long n) {
  return n;
}

int main() {
  auto x = trawl::spawn(&f, 4L);
  return static_cast<int>(x.sync());
}
