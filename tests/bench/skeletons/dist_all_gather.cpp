// All-gather by the skeleton. dist_all_gather [N [ROUNDS]]
#include <cstdint>
#include <vector>

#include "tests/bench/skeletons/dist.hpp"

namespace {

using Numbers = std::vector<std::uint64_t>;

/// Of each shard, what is there: so it has to be.
std::uint64_t gathered(const Numbers& own, const Numbers& all) {
  return own.empty() ? 0 : all.size();
}

std::uint64_t sum_of(const Numbers& own, const Numbers& all) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < all.size(); ++i) sum += all[i] * (i + 1);
  return sum * own.size();
}

int root(int argc, char** argv) {
  using trawl::reduce, trawl::force;
  const auto n = bench::word(argc, argv, 1, std::size_t{1} << 23U);
  trawl::Dist<std::uint64_t> numbers;
  return bench::measure(
      bench::word(argc, argv, 2, 5), [&] { return numbers = trawl::generate<bench::number>(n); },
      [&](const trawl::Dist<std::uint64_t>&) {
        const auto all = trawl::all_gather(numbers);
        force(reduce<gathered, bench::plus>(numbers, all));
        return all;
      },
      [&](const trawl::Everywhere<Numbers>& all) {
        return reduce<sum_of, bench::plus>(numbers, all);
      });
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
