// expect: trawl: par_map_reduce counts with whole numbers
#include <trawl/trawl.hpp>

long one(char) {
  return 1;
}
long plus(long a, long b) {
  return a + b;
}

int main() {
  return trawl::par_map_reduce<one, plus>('a', 'z', 1, 0L) == 25 ? 0 : 1;
}
