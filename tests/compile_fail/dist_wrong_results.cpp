// expect: a pointer means nothing on another PE
// expect: a view, an iterator or a smart pointer means nothing on another PE
// expect: a function that returns nothing does nothing here
// expect: the function of map_reduce has to give a std::vector of std::pair
#include <cstddef>
#include <memory>

#include <trawl/dist.hpp>
#include <trawl/trawl.hpp>

int* pointer(std::size_t) {
  return nullptr;
}
std::unique_ptr<int> owner(std::size_t) {
  return nullptr;
}
long number(std::size_t i) {
  return static_cast<long>(i);
}
void nothing(long) {}
long no_pairs(long x) {
  return x;
}
long plus(long a, long b) {
  return a + b;
}

int root() {
  trawl::generate<pointer>(10);
  trawl::generate<owner>(10);
  const auto d = trawl::generate<number>(10);
  trawl::map<nothing>(d);
  trawl::map_reduce<no_pairs, plus>(d);
  return 0;
}
