// expect: a thunk needs a result
#include <trawl/dist.hpp>
#include <trawl/trawl.hpp>

long number(std::size_t i) {
  return static_cast<long>(i);
}
void nothing(const trawl::Around<long>&) {}

int root() {
  const trawl::Dist<long> d = trawl::stencil<nothing>(trawl::generate<number>(10));
  return 0;
}
