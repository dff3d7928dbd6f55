// expect: trawl: nothing can refer to an element of a std::vector<bool>: make a Dist of
#include <trawl/dist.hpp>
#include <trawl/trawl.hpp>

bool prime(std::size_t n) {
  return n == 2 || n % 2 != 0;
}

int main() {
  trawl::generate<prime>(3);
}
