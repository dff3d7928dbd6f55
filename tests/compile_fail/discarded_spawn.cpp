// expect: [-Werror=unused-result]
#include <trawl/trawl.hpp>

#pragma GCC diagnostic error "-Wunused-result"

long f(long n) {
  return n;
}

int main() {
  trawl::spawn<f>(1);
}
