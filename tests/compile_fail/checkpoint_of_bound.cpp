// expect: a Bound or a Shared means nothing in another run
#include <vector>

#include <trawl/checkpoint.hpp>
#include <trawl/trawl.hpp>

int root() {
  trawl::checkpoint("file", std::vector<trawl::Bound<long>>());
  return 0;
}
