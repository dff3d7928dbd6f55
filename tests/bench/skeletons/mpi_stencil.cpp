// How a plate warms up, by hand: rows in blocks, a step at a time. mpi_stencil [N [ROUNDS [STEPS]]]
#include <cmath>
#include <utility>
#include <vector>

#include "tests/bench/skeletons/mpi.hpp"

namespace {

/// A rank's rows, and one of each neighbour: where there is none, its own again.
class Plate {
 public:
  Plate(std::size_t n, const bench::Ranks& ranks)
      : columns_(n), rows_(ranks.end(n) - ranks.begin(n)), cells_((rows_ + 2) * n) {
    above_ = ranks.rank == 0 ? MPI_PROC_NULL : static_cast<int>(ranks.rank) - 1;
    below_ = ranks.rank + 1 == ranks.count ? MPI_PROC_NULL : static_cast<int>(ranks.rank) + 1;
    for (std::size_t i = 0; i < rows_; ++i)
      for (std::size_t j = 0; j < n; ++j)
        row(i + 1)[j] =
            j == 0 ? 100 : 10 * std::sin(0.01 * static_cast<double>((ranks.begin(n) + i) * j));
    next_ = cells_;
  }

  void step() {
    exchange_rims();
    for (std::size_t i = 1; i <= rows_; ++i) {
      const double* const at = row(i);
      double* const next = next_.data() + i * columns_;
      next[0] = at[0];
      next[columns_ - 1] = at[columns_ - 1];
      for (std::size_t j = 1; j + 1 < columns_; ++j)
        next[j] = 0.25 * (row(i - 1)[j] + row(i + 1)[j] + at[j - 1] + at[j + 1]);
    }
    std::swap(cells_, next_);
  }

  long long warmth() const {
    long long sum = 0;
    for (std::size_t i = columns_; i < (rows_ + 1) * columns_; ++i)
      sum += std::llround(1e9 * cells_[i]);
    return sum;
  }

 private:
  double* row(std::size_t i) { return cells_.data() + i * columns_; }

  void exchange_rims() {
    const auto count = static_cast<int>(columns_);
    if (above_ == MPI_PROC_NULL) std::copy_n(row(1), columns_, row(0));
    if (below_ == MPI_PROC_NULL) std::copy_n(row(rows_), columns_, row(rows_ + 1));
    MPI_Sendrecv(row(1), count, MPI_DOUBLE, above_, 0, row(rows_ + 1), count, MPI_DOUBLE, below_, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(row(rows_), count, MPI_DOUBLE, below_, 0, row(0), count, MPI_DOUBLE, above_, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }

  std::size_t columns_;
  std::size_t rows_;
  int above_;
  int below_;
  std::vector<double> cells_;
  std::vector<double> next_;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const auto n = bench::word(argc, argv, 1, 2896);
  const auto steps = bench::word(argc, argv, 3, 20);
  bench::measure(
      bench::word(argc, argv, 2, 5), [&] { return Plate(n, bench::ranks()); },
      [&](Plate& plate) {
        for (std::size_t i = 0; i < steps; ++i) plate.step();
        return std::move(plate);
      },
      [](const Plate& plate) { return plate.warmth(); });
  MPI_Finalize();
}
