// expect: the skeleton's function can't be called with an element and these arguments
#include <string>

#include <trawl/dist.hpp>
#include <trawl/trawl.hpp>

long square(std::size_t i) {
  return static_cast<long>(i * i);
}
long plus(long a, long b) {
  return a + b;
}

int root() {
  const auto d = trawl::generate<square>(10);
  trawl::map<plus>(d, std::string("x"));
  return 0;
}
