// GB/s (10^9 bytes) at which plain MPI takes arrays of 64 MiB from one rank to the other, asked for
// one by one: the measure of bulk_fetch, with as many arrays before the clock starts. UCX is left
// as it is, unless UCX_RNDV_THRESH=inf is set as by the runtime.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <vector>

#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  constexpr int length = 8 << 20;
  constexpr int arrays = 40;
  std::vector<double> times;
  bool right = true;
  for (int i = 0; i < arrays; ++i) {
    char ask = 0;
    if (rank == 0) {
      const std::vector<double> array(length, i);
      MPI_Barrier(MPI_COMM_WORLD);
      MPI_Recv(&ask, 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(array.data(), length, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    } else {
      MPI_Barrier(MPI_COMM_WORLD);
      const auto begin = std::chrono::steady_clock::now();
      const std::unique_ptr<double[]> array(new double[length]);
      MPI_Send(&ask, 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
      MPI_Recv(array.get(), length, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
      if (i >= arrays / 2) times.push_back(time.count());
      right = right && std::all_of(array.get(), array.get() + length,
                                   [i](double x) { return x == static_cast<double>(i); });
    }
  }
  if (rank == 1) {
    std::sort(times.begin(), times.end());
    std::printf("%.2f\n", length * sizeof(double) / times[times.size() / 2] / 1e9);
  }
  MPI_Finalize();
  return right ? 0 : 1;
}
