// All-to-all by hand: a matrix in rows is turned over. mpi_all_to_all [N [ROUNDS]]
#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/bench/skeletons/mpi.hpp"

namespace {

using Numbers = std::vector<std::uint64_t>;
constexpr std::size_t tile = 32;

/// Of n rows of n numbers a rank's, one behind the other, to its rows of the other matrix.
Numbers turned(const Numbers& rows, std::size_t n, const bench::Ranks& ranks) {
  const auto own = ranks.end(n) - ranks.begin(n);
  Numbers outgoing(rows.size());
  std::size_t filled = 0;
  std::vector<int> counts;
  std::vector<int> begins;
  for (std::size_t r = 0; r < ranks.count; ++r) {
    const auto columns = ranks.begin(n, r + 1) - ranks.begin(n, r);
    begins.push_back(static_cast<int>(filled));
    counts.push_back(static_cast<int>(own * columns));
    for (std::size_t i = 0; i < own; i += tile)  // so that columns stay in the cache
      for (std::size_t c = 0; c < columns; ++c)
        for (auto k = i; k < std::min(i + tile, own); ++k)
          outgoing[filled + c * own + k] = rows[k * n + ranks.begin(n, r) + c];
    filled += own * columns;
  }
  // What comes from a rank is as large as what goes there, as rows are as long as there are rows.
  Numbers incoming(rows.size());
  MPI_Alltoallv(outgoing.data(), counts.data(), begins.data(), MPI_UINT64_T, incoming.data(),
                counts.data(), begins.data(), MPI_UINT64_T, MPI_COMM_WORLD);
  Numbers result;
  result.reserve(rows.size());
  for (std::size_t i = 0; i < own; ++i)
    for (std::size_t r = 0; r < ranks.count; ++r) {
      const auto columns = ranks.begin(n, r + 1) - ranks.begin(n, r);
      const auto block = incoming.begin() + begins[r] + static_cast<std::ptrdiff_t>(i * columns);
      result.insert(result.end(), block, block + static_cast<std::ptrdiff_t>(columns));
    }
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const auto n = bench::word(argc, argv, 1, 2896);
  const auto ranks = bench::ranks();
  bench::measure(
      bench::word(argc, argv, 2, 5),
      [&] {
        Numbers rows;
        for (auto i = ranks.begin(n) * n; i < ranks.end(n) * n; ++i)
          rows.push_back(bench::number(i));
        return rows;
      },
      [&](const Numbers& rows) { return turned(rows, n, ranks); },
      [&](const Numbers& rows) {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < rows.size(); ++i)
          sum += rows[i] * (i % n + 1) * (ranks.begin(n) + i / n + 3);
        return sum;
      });
  MPI_Finalize();
}
