// expect: trawl: an inlet takes the index of a call and its result
#include <trawl/trawl.hpp>

long twice(long n) {
  return 2 * n;
}

int main() {
  auto some = trawl::spawn_some<twice>(std::vector<long>{1, 2});
  some.each([](long) { return true; });
}
