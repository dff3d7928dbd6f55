// What the MPI programs here share: the share of a rank, and what is timed.
#pragma once

#include <cstddef>

#include <mpi.h>

#include "tests/bench/skeletons/timed.hpp"

namespace bench {

/// This rank, and how many there are.
struct Ranks {
  std::size_t rank = 0;
  std::size_t count = 1;

  /// Where the part of rank r begins, of n in a row.
  std::size_t begin(std::size_t n, std::size_t r) const {
    return n / count * r + std::min(r, n % count);
  }
  std::size_t begin(std::size_t n) const { return begin(n, rank); }
  std::size_t end(std::size_t n) const { return begin(n, rank + 1); }
};

inline Ranks ranks() {
  int rank = 0;
  int count = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  return {static_cast<std::size_t>(rank), static_cast<std::size_t>(count)};
}

/// So often: `make()` what the call `work(made)` is given, of which the time counts, from when all
/// have begun until all have ended. `answer(result)` is a rank's part of the sum that is printed.
template <class Make, class Work, class Answer>
void measure(std::size_t rounds, Make make, Work work, Answer answer) {
  Timed timed;
  unsigned long long sum = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    auto made = make();
    MPI_Barrier(MPI_COMM_WORLD);
    const auto result = timed.time([&] {
      auto its = work(made);
      MPI_Barrier(MPI_COMM_WORLD);
      return its;
    });
    const auto part = static_cast<unsigned long long>(answer(result));
    MPI_Reduce(&part, &sum, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  }
  if (ranks().rank == 0) timed.print(sum);
}

}  // namespace bench
