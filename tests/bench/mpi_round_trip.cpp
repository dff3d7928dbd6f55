// What plain MPI takes for a round trip of 8 bytes between two ranks: the measure of remote_spark.
#include <chrono>
#include <cstdio>

#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  constexpr int rounds = 200'000;
  constexpr int warm_up = 20'000;
  long word = 0;
  auto begin = std::chrono::steady_clock::now();
  for (int i = -warm_up; i < rounds; ++i) {
    if (i == 0) begin = std::chrono::steady_clock::now();
    if (rank == 0) {
      MPI_Send(&word, 1, MPI_LONG, 1, 0, MPI_COMM_WORLD);
      MPI_Recv(&word, 1, MPI_LONG, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
      MPI_Recv(&word, 1, MPI_LONG, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(&word, 1, MPI_LONG, 0, 0, MPI_COMM_WORLD);
    }
  }
  const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
  if (rank == 0) std::printf("%.3f\n", time.count() / rounds);
  MPI_Finalize();
}
