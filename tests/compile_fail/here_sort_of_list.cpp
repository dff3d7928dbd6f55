// expect: trawl: here::sort sorts what has indices
#include <list>

#include <trawl/here.hpp>
#include <trawl/trawl.hpp>

void root() {
  std::list<long> xs{2, 1};
  trawl::here::sort(xs);
}
