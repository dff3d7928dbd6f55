// expect: trawl: numbers makes arrays of numbers, as in numbers<double>(1000), or of structs of
// numbers.
#include <trawl/trawl.hpp>

int main() {
  return static_cast<int>(trawl::numbers<bool>(3).size());
}
