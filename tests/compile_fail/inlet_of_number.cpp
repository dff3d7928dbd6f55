// expect: trawl: an inlet gives nothing, or a bool
#include <cstddef>
#include <vector>

#include <trawl/trawl.hpp>

long twice(long n) {
  return 2 * n;
}

int main() {
  auto some = trawl::spawn_some<twice>(std::vector<long>{1, 2});
  some.each([](std::size_t, long result) { return result; });
}
