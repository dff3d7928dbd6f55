// expect: trawl: exchange takes a Dist of rows
#include <cstddef>

#include <trawl/dist.hpp>
#include <trawl/trawl.hpp>

long square(std::size_t i) {
  return static_cast<long>(i * i);
}

int root() {
  trawl::exchange(trawl::generate<square>(10));
  return 0;
}
