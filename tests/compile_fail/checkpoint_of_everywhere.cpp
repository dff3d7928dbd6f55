// expect: a Bound, a Shared or an Everywhere means nothing in another run
#include <trawl/checkpoint.hpp>
#include <trawl/dist.hpp>
#include <trawl/trawl.hpp>

long number(std::size_t i) {
  return static_cast<long>(i);
}

int main() {
  trawl::checkpoint("file", trawl::all_gather(trawl::generate<number>(3)));
}
