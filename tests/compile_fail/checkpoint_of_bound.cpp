// expect: a Bound, a Shared or an Everywhere means nothing in another run
#include <vector>

#include <trawl/checkpoint.hpp>
#include <trawl/trawl.hpp>

int root() {
  trawl::checkpoint("file", std::vector<trawl::Bound<long>>());
  return 0;
}
