// expect: essential takes no Dist beside its first
#include <vector>

#include <trawl/dist.hpp>
#include <trawl/trawl.hpp>

long number(std::size_t i) {
  return static_cast<long>(i);
}
long describe(const trawl::Portion<long>&, long hint) {
  return hint;
}
long select_some(const trawl::Portion<long>&, long, const std::vector<long>&) {
  return 1;
}
long assemble(const trawl::Portion<long>&, const std::vector<trawl::Lazy<long>>&,
              const std::vector<long>&) {
  return 1;
}

int root() {
  const auto d = trawl::generate<number>(10);
  trawl::essential<describe, select_some, assemble>(d, 1L, d);
  return 0;
}
