// expect: trawl: a function pointer means nothing on another PE
#include <trawl/trawl.hpp>

long f(long n) {
  return n;
}

int main() {
  return static_cast<int>(trawl::force(trawl::lazy(f, 4L)));
}
