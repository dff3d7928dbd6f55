// All-to-all by the skeleton: a matrix in rows is turned over. dist_all_to_all [N [ROUNDS]]
#include <cstdint>
#include <vector>

#include "tests/bench/skeletons/dist.hpp"

namespace {

using Row = std::vector<std::uint64_t>;
using Matrix = trawl::Dist<Row>;

Row row(std::size_t i, std::size_t n) {
  Row numbers(n);
  for (std::size_t j = 0; j < n; ++j) numbers[j] = bench::number(i * n + j);
  return numbers;
}

std::uint64_t sum_of(const Row& row, std::size_t i) {
  std::uint64_t sum = 0;
  for (std::size_t j = 0; j < row.size(); ++j) sum += row[j] * (j + 1) * (i + 3);
  return sum;
}

std::size_t itself(std::size_t i) {
  return i;
}

int root(int argc, char** argv) {
  const auto n = bench::word(argc, argv, 1, 2896);
  return bench::measure(
      bench::word(argc, argv, 2, 5), [&] { return trawl::generate<row>(n, n); },
      [](const Matrix& matrix) {
        auto turned = trawl::exchange(matrix);
        turned.size();
        return turned;
      },
      [&](const Matrix& turned) {
        return trawl::reduce<sum_of, bench::plus>(turned, trawl::generate<itself>(n));
      });
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
