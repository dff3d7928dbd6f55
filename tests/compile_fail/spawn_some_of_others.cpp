// expect: trawl: the function can't be called with the elements of this range.
#include <trawl/trawl.hpp>

long twice(long n) {
  return 2 * n;
}

int main() {
  auto some = trawl::spawn_some<twice>(std::vector<std::string>{"a", "b"});
  some.cancel();
}
