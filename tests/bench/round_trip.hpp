// What plain MPI takes for a round trip of 8 bytes between two ranks: the measure of remote_spark
// and remote_fetch, in the same processes. From run to run it changes more than from one minute to
// the next.
#pragma once

#include <chrono>

#include <mpi.h>

namespace bench {

/// Starts MPI; microseconds. To be called by both ranks, before trawl::run.
inline double round_trip() {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  constexpr int rounds = 200'000;
  constexpr int warm_up = 20'000;
  long word = 0;
  auto begin = std::chrono::steady_clock::now();
  for (int i = -warm_up; i < rounds; ++i) {
    if (i == 0) begin = std::chrono::steady_clock::now();
    const int to = 1 - rank;
    if (rank == 0) MPI_Send(&word, 1, MPI_LONG, to, 0, MPI_COMM_WORLD);
    MPI_Recv(&word, 1, MPI_LONG, to, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(&word, 1, MPI_LONG, to, 0, MPI_COMM_WORLD);
  }
  const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
  return time.count() / rounds;
}

}  // namespace bench
