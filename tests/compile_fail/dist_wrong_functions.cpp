// expect: the function that combines has to take two of the values that are combined
// expect: apply's function can't be called with the value that is everywhere
// expect: iterate's function has to take a Dist and these arguments
// expect: par_map_reduce needs a function of an index
#include <cstddef>
#include <string>

#include <trawl/dist.hpp>
#include <trawl/trawl.hpp>

long number(std::size_t i) {
  return static_cast<long>(i);
}
std::string text(long) {
  return "";
}
long length(const std::string& word) {
  return static_cast<long>(word.size());
}

int root() {
  const auto d = trawl::generate<number>(10);
  trawl::reduce<text, length>(d);
  trawl::scan<text>(d, 0L);
  trawl::apply<length>(trawl::all_gather(d));
  trawl::map<length>(trawl::sequence<number>(10));
  trawl::iterate<number>(d, 3);
  trawl::par_map_reduce<number, length>(0, 10, 2, 0L);
  return 0;
}
