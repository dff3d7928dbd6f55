// expect: sort and rebalance weigh elements by_count
#include <trawl/dist.hpp>
#include <trawl/trawl.hpp>

long number(std::size_t i) {
  return static_cast<long>(i);
}

int root() {
  trawl::sort(trawl::generate<number>(10), trawl::by_cost);
  return 0;
}
