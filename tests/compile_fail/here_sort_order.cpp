// expect: trawl: here::sort needs a < of the elements
// expect: trawl: here::sort moves elements about
#include <vector>

#include <trawl/here.hpp>
#include <trawl/trawl.hpp>

struct Item {
  long key = 0;
};

void root() {
  std::vector<Item> items(3);
  trawl::here::sort(items);
  const std::vector<long> fixed{2, 1};
  trawl::here::sort(fixed);
}
