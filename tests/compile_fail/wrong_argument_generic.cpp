// expect: trawl: the function can't be called with these arguments.
#include <trawl/trawl.hpp>

int main() {
  return static_cast<int>(trawl::force(trawl::lazy([](auto a, auto b) { return a + b; }, 1)));
}
