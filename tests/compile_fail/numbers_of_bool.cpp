// expect: trawl: numbers makes arrays of numbers, or of structs of them,
// expect: of them, as in numbers<double>(1000).
#include <trawl/trawl.hpp>

int main() {
  return static_cast<int>(trawl::numbers<bool>(3).size());
}
