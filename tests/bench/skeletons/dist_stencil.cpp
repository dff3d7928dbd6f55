// How a plate warms up, by the skeleton: rows are its elements. dist_stencil [N [ROUNDS [STEPS]]]
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "tests/bench/skeletons/dist.hpp"

namespace {

using Row = std::vector<double>;
using Plate = trawl::Dist<Row>;

Row first_row(std::size_t i, std::size_t n) {
  Row cells(n);
  for (std::size_t j = 0; j < n; ++j)
    cells[j] = j == 0 ? 100 : 10 * std::sin(0.01 * static_cast<double>(i * j));
  return cells;
}

Row warmed(const trawl::Around<Row>& around) {
  const Row &above = around[-1], &at = around[0], &below = around[1];
  return trawl::numbers<double>(at.size(), [&](std::span<double> next) {
    next.front() = at.front();
    next.back() = at.back();
    for (std::size_t j = 1; j + 1 < at.size(); ++j)
      next[j] = 0.25 * (above[j] + below[j] + at[j - 1] + at[j + 1]);
  });
}

Plate step(const Plate& plate) {
  return trawl::stencil<warmed>(plate);
}

std::uint64_t warmth(const Row& row) {
  long long sum = 0;
  for (const double cell : row) sum += std::llround(1e9 * cell);
  return static_cast<std::uint64_t>(sum);
}

int root(int argc, char** argv) {
  const auto n = bench::word(argc, argv, 1, 2896);
  const auto steps = bench::word(argc, argv, 3, 20);
  return bench::measure(
      bench::word(argc, argv, 2, 5), [&] { return trawl::generate<first_row>(n, n); },
      [&](const Plate& plate) {
        auto warm = trawl::iterate<step>(plate, steps);
        warm.size();
        return warm;
      },
      [](const Plate& plate) { return trawl::reduce<warmth, bench::plus>(plate); });
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
