// expect: trawl: this strategy can't be applied to this value
#include <vector>

#include <trawl/trawl.hpp>

int main() {
  trawl::apply(std::vector{1L, 2L}, trawl::par_list(trawl::rseq));
}
