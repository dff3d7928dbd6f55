// expect: trawl: this strategy can't be applied to this value
#include <deque>

#include <trawl/trawl.hpp>

long f(long n) {
  return n;
}

int main() {
  const std::deque some{trawl::lazy<f>(1L)};
  trawl::apply(some, trawl::par_buffer(3, trawl::rseq));
}
