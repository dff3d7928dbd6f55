// expect: trawl: this strategy can't be applied to one Lazy
#include <trawl/trawl.hpp>

long f(long n) {
  return n;
}

int main() {
  trawl::apply(trawl::lazy<f>(1L), trawl::par_list(trawl::rseq));
}
