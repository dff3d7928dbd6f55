// expect: [-Werror=unused-result]
#include <vector>

#include <trawl/trawl.hpp>

#pragma GCC diagnostic error "-Wunused-result"

long f(long n) {
  return n;
}

int main() {
  trawl::spawn_some<f>(std::vector<long>{1, 2});
}
