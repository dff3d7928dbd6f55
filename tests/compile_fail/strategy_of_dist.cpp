// expect: trawl: this strategy can't be applied to this value
#include <trawl/dist.hpp>
#include <trawl/trawl.hpp>

long f(std::size_t i) {
  return static_cast<long>(i);
}

int main() {
  trawl::apply(trawl::generate<f>(10), trawl::par_list(trawl::rseq));
}
