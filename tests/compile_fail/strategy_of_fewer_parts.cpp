// expect: trawl: this strategy can't be applied to this value
#include <tuple>

#include <trawl/trawl.hpp>

long f(long n) {
  return n;
}

int main() {
  trawl::apply(std::tuple(trawl::lazy<f>(1L), 2L, 3L), trawl::par_tuple(trawl::rseq, trawl::r0));
}
