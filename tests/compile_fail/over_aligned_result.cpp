// expect: trawl: a value that travels may not be aligned to more than 16 bytes.
#include <trawl/trawl.hpp>

struct alignas(32) Line {
  long x;
};

Line f(long n) {
  return {n};
}

int main() {
  return static_cast<int>(trawl::force(trawl::lazy<f>(1)).x);
}
