// kept_elsewhere N: N arrays of 8 MB, one after the other, made and kept by PE 1 and referred to by
// PE 0, which needs each of them once and allocates next to nothing; prints N.
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

#include <trawl/dist.hpp>
#include <trawl/trawl.hpp>

namespace {

using Numbers = std::vector<double>;

trawl::Lazy<Numbers> make(std::size_t length) {
  auto numbers = trawl::numbers<double>(length);
  numbers.back() = 1;
  return trawl::keep(std::move(numbers));
}

double sum_of(const trawl::Lazy<Numbers>& kept) {
  const auto& numbers = trawl::force(kept);
  return std::accumulate(numbers.begin(), numbers.end(), 0.0);
}

int root(int, char** argv) {
  constexpr std::size_t length = 1'000'000;
  const auto place = trawl::places().back();
  double sum = 0;
  for (long i = std::atol(argv[1]); i > 0; --i) {
    const auto kept = trawl::force(trawl::apply<make>(place, length));
    sum += trawl::force(trawl::apply<sum_of>(place, kept));
  }
  std::printf("%.0f\n", sum);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
