// All-gather by hand. mpi_all_gather [N [ROUNDS]]
#include <cstdint>
#include <vector>

#include "tests/bench/skeletons/mpi.hpp"

namespace {

using Numbers = std::vector<std::uint64_t>;

Numbers gathered(const Numbers& own, std::size_t n, const bench::Ranks& ranks) {
  std::vector<int> counts;
  std::vector<int> begins;
  for (std::size_t r = 0; r < ranks.count; ++r) {
    begins.push_back(static_cast<int>(ranks.begin(n, r)));
    counts.push_back(static_cast<int>(ranks.begin(n, r + 1) - ranks.begin(n, r)));
  }
  Numbers all(n);
  MPI_Allgatherv(own.data(), static_cast<int>(own.size()), MPI_UINT64_T, all.data(), counts.data(),
                 begins.data(), MPI_UINT64_T, MPI_COMM_WORLD);
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const auto n = bench::word(argc, argv, 1, std::size_t{1} << 23U);
  const auto ranks = bench::ranks();
  bench::measure(
      bench::word(argc, argv, 2, 5),
      [&] {
        Numbers numbers;
        for (auto i = ranks.begin(n); i < ranks.end(n); ++i) numbers.push_back(bench::number(i));
        return numbers;
      },
      [&](const Numbers& own) { return gathered(own, n, ranks); },
      // What a rank has, where its own part lies.
      [&](const Numbers& all) {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < n; ++i) sum += all[i] * (i + 1);
        return sum * (ranks.end(n) - ranks.begin(n));
      });
  MPI_Finalize();
}
