// expect: trawl: apply takes the value first, then the strategy
#include <vector>

#include <trawl/trawl.hpp>

long f(long n) {
  return n;
}

int main() {
  trawl::apply(trawl::par_list(trawl::rseq), std::vector{trawl::lazy<f>(1L)});
}
