// expect: trawl: a strategy for the elements of a list can't have parameters of its own.
#include <vector>

#include <trawl/trawl.hpp>

int main() {
  const std::vector<trawl::Lazy<long>> xs;
  const long n = 3;
  trawl::apply(xs, trawl::par_list([n](const auto& x) { return trawl::force(x) + n; }));
}
