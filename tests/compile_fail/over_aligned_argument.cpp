// expect: trawl: a value that travels may not be aligned to more than 16 bytes.
#include <trawl/trawl.hpp>

struct alignas(64) Line {
  long x;
};

long f(Line line) {
  return line.x;
}

int main() {
  auto x = trawl::spawn<f>(Line{1});
  return static_cast<int>(x.sync());
}
