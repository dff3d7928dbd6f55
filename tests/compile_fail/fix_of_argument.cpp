// expect: trawl: fix takes its function as a template argument
#include <trawl/trawl.hpp>

long f(long n) {
  return n;
}

int main() {
  trawl::fix([](trawl::Lazy<long>) { return 1L; });
}
