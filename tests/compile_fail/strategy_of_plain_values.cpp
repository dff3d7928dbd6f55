// expect: trawl: this strategy can't be applied to this value
#include <vector>

#include <trawl/trawl.hpp>

long f(long n) {
  return n;
}

int main() {
  trawl::apply(std::vector{1L, 2L}, trawl::rseq);
}
