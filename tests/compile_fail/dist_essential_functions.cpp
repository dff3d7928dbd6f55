// expect: the first function of essential describes a Portion<T> of the data
// expect: the second function of essential selects of a Portion<T> of the data
// expect: the third function of essential makes a place's value
// expect: a function that returns nothing does nothing here
#include <cstddef>
#include <vector>

#include <trawl/dist.hpp>
#include <trawl/trawl.hpp>

using Mine = const trawl::Portion<long>&;
long number(std::size_t i) {
  return static_cast<long>(i);
}
long count(Mine portion, long) {
  return static_cast<long>(portion.size());
}
long count_without_hint(Mine portion) {
  return static_cast<long>(portion.size());
}
void nothing(Mine, long) {}
long of_vector(const std::vector<long>& all, long) {
  return static_cast<long>(all.size());
}
long of_values(Mine, const std::vector<long>& all) {
  return static_cast<long>(all.size());
}

int root() {
  const auto d = trawl::generate<number>(10);
  trawl::essential<count_without_hint, count, of_values>(d, 1L);
  trawl::essential<nothing, count, of_values>(d, 1L);
  trawl::essential<count, of_vector, of_values>(d, 1L);
  trawl::essential<count, count, of_values>(d, 1L);
  return 0;
}
