// expect: trawl: a weight is by_count, or by<f>
#include <cstddef>

#include <trawl/dist.hpp>
#include <trawl/trawl.hpp>

long square(std::size_t i) {
  return static_cast<long>(i * i);
}
double weight(const long& x) {
  return static_cast<double>(x);
}
struct Scaled {
  double by = 1;
  double operator()(long x) const { return by * static_cast<double>(x); }
};

int root() {
  const auto d = trawl::generate<square>(10);
  trawl::sort(d, weight);
  trawl::sort(d, Scaled{2});
  trawl::rebalance(d, 1, weight);
  trawl::sort(trawl::sequence<square>(10), weight);
  return 0;
}
