// expect: trawl: map_reduce needs a std::hash of its keys: specialise that for their type.
#include <utility>
#include <vector>

#include <trawl/dist.hpp>
#include <trawl/trawl.hpp>

struct Key {
  long n;

  auto operator<=>(const Key&) const = default;
};

long number(std::size_t i) {
  return static_cast<long>(i);
}
std::vector<std::pair<Key, long>> pairs(long n) {
  return {{Key{n}, 1}};
}
long sum(long x, long y) {
  return x + y;
}

int main() {
  trawl::map_reduce<pairs, sum>(trawl::generate<number>(3));
}
