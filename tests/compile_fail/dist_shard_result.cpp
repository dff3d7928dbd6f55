// expect: a function for whole shards takes a std::vector of elements and returns one
#include <vector>

#include <trawl/dist.hpp>
#include <trawl/trawl.hpp>

long square(std::size_t i) {
  return static_cast<long>(i * i);
}
long sum(const std::vector<long>& shard) {
  return shard.front();
}

int root() {
  trawl::map_shards<sum>(trawl::generate<square>(10));
  return 0;
}
