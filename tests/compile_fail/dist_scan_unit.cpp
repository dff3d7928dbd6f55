// expect: trawl: the unit of scan is a value of the elements' type
#include <cstddef>
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
  trawl::scan<plus>(d, std::string());
  trawl::scan<plus>(d, 0.5);
  return 0;
}
