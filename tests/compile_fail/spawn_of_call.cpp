// expect: trawl: this is what a call has given, not a function; write spawn<f>(3) instead of
#include <trawl/trawl.hpp>

long f(long n) {
  return n + 1;
}

int main() {
  return static_cast<int>(trawl::spawn(f(3)).sync());
}
