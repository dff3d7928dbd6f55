// expect: trawl: map_reduce needs a < and a == of its keys.
#include <complex>
#include <utility>
#include <vector>

#include <trawl/dist.hpp>
#include <trawl/trawl.hpp>

using Key = std::complex<double>;

template <>
struct std::hash<Key> {
  std::size_t operator()(const Key& key) const { return std::hash<double>()(key.real()); }
};

long number(std::size_t i) {
  return static_cast<long>(i);
}
std::vector<std::pair<Key, long>> pairs(long n) {
  return {{Key(static_cast<double>(n)), 1}};
}
long sum(long x, long y) {
  return x + y;
}

int main() {
  trawl::map_reduce<pairs, sum>(trawl::generate<number>(3));
}
