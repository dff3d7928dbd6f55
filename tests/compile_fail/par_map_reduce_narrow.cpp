// expect: trawl: the unit of par_map_reduce has a narrower type than the sums: write it in theirs
#include <trawl/trawl.hpp>

long twice(long n) {
  return 2 * n;
}
long plus(long a, long b) {
  return a + b;
}

int main() {
  return static_cast<int>(trawl::par_map_reduce<twice, plus>(0, 100, 10, 0));
}
