// expect: trawl: par_map_reduce counts with whole numbers: from, to and the chunk are such
#include <trawl/trawl.hpp>

long one(bool) {
  return 1;
}
long plus(long a, long b) {
  return a + b;
}

int main() {
  return static_cast<int>(trawl::par_map_reduce<one, plus>(false, true, 1, 0L));
}
