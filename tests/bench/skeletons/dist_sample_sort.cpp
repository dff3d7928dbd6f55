// Sample sort of numbers, by the skeleton. dist_sample_sort [N [ROUNDS]]
#include <cstdint>
#include <vector>

#include "tests/bench/skeletons/dist.hpp"

namespace {

using Numbers = std::vector<std::uint64_t>;

/// Of numbers in a row: their sum, and that of numbers times places, the first being 0.
struct Sum {
  std::uint64_t count = 0;
  std::uint64_t plain = 0;
  std::uint64_t by_place = 0;
};

Sum sum_of(const Numbers& numbers) {
  Sum sum;
  for (const auto x : numbers) {
    sum.by_place += x * sum.count++;
    sum.plain += x;
  }
  return sum;
}

Sum joined(const Sum& a, const Sum& b) {
  return {a.count + b.count, a.plain + b.plain, a.by_place + b.by_place + a.count * b.plain};
}

std::uint64_t by_place(const Sum& sum) {
  return sum.by_place;
}

int root(int argc, char** argv) {
  const auto n = bench::word(argc, argv, 1, std::size_t{1} << 23U);
  return bench::measure(
      bench::word(argc, argv, 2, 5), [&] { return trawl::generate<bench::number>(n); },
      [](const trawl::Dist<std::uint64_t>& numbers) {
        auto sorted = trawl::sort(numbers);
        sorted.size();
        return sorted;
      },
      [](const trawl::Dist<std::uint64_t>& sorted) {
        return trawl::lazy<by_place>(trawl::reduce<sum_of, joined>(sorted));
      });
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
