// expect: trawl: sort needs a < of the elements, or a function
// expect: trawl: the function by which sort compares gives a bool
// expect: trawl: sort needs a < of the keys
// expect: trawl: a pointer means nothing on another PE
#include <cstddef>

#include <trawl/dist.hpp>
#include <trawl/trawl.hpp>

struct Item {
  long key = 0;
};
Item item(std::size_t i) {
  return {static_cast<long>(i)};
}
int order(const Item& a, const Item& b) {
  return a.key < b.key ? -1 : 1;
}
Item itself(const Item& x) {
  return x;
}
const char* name(const Item&) {
  return "";
}

int root() {
  const auto d = trawl::generate<item>(10);
  trawl::sort(d);
  trawl::sort<order>(d);
  trawl::sort<itself>(d);
  trawl::sort<name>(d);
  return 0;
}
