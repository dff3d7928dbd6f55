// expect: trawl: what sort compares by goes between angle brackets, as in sort<f>(d)
#include <cstddef>
#include <functional>

#include <trawl/dist.hpp>
#include <trawl/trawl.hpp>

long square(std::size_t i) {
  return static_cast<long>(i * i);
}

int root() {
  const auto d = trawl::generate<square>(10);
  trawl::sort(d, std::greater<>());
  trawl::sort(d, [](long a, long b) { return a > b; });
  return 0;
}
