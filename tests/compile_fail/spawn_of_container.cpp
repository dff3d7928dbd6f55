// expect: trawl: this is what a call has given, not a function; write spawn<f>(3) instead of
#include <vector>

#include <trawl/trawl.hpp>

std::vector<long> f(long n) {
  return {n};
}

int main() {
  trawl::spawn(f(3)).sync();
  return 0;
}
