// A list of evaluated cells, made on one PE, walked from the other: packing, messages and unpacking
// included; seconds a cell, the median of several walks. Beside it the bytes of such cells by plain
// MPI, in messages as long as packets: what no packing could beat. Run under mpiexec -n 2 with
// --trawl:workers=1 --trawl:fish-delay=0.1 --trawl:fish-delay-max=0.1, so that both PEs are awake.
#include <algorithm>
#include <vector>

#include <unistd.h>

#include "tests/bench/two_pes.hpp"

namespace {

using bench::Clock;
using bench::seconds_since;
using trawl::force;
using trawl::Lazy;

constexpr long cells = 1'000'000;
constexpr long walks = 9;

struct Cell {
  long value = 0;
  Lazy<Cell> next;
};

// ---- plain MPI ---------------------------------------------------------------------------------

constexpr int cells_a_message = 4096;

void list_by_mpi(benchmark::State& state) {
  std::vector<Cell> list(cells_a_message);
  constexpr int bytes = cells_a_message * sizeof(Cell);
  for (auto _ : state) {
    const auto begin = Clock::now();
    for (long i = 0; i < cells; i += cells_a_message) {
      const long word = i;
      MPI_Send(&word, 1, MPI_LONG, 1, bench::echo_tag, MPI_COMM_WORLD);
      MPI_Recv(list.data(), bytes, MPI_BYTE, 1, bench::echo_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    state.SetIterationTime(seconds_since(begin));
    state.counters["each"] = seconds_since(begin) / cells;
  }
}

void send_cells() {
  const std::vector<Cell> list(cells_a_message);
  bench::serve([&](long) {
    MPI_Send(list.data(), cells_a_message * sizeof(Cell), MPI_BYTE, 0, bench::echo_tag,
             MPI_COMM_WORLD);
  });
}

// ---- Trawl -------------------------------------------------------------------------------------

struct Walk {
  long sum = 0;
  double seconds = 0;
  long process = 0;  // who walked
};

Walk walk(Lazy<Cell> at) {
  Walk done{0, 0, getpid()};
  const auto begin = Clock::now();
  while (at) {
    const Cell& cell = force(at);
    done.sum += cell.value;
    at = cell.next;
  }
  done.seconds = seconds_since(begin);
  return done;
}

void list(benchmark::State& state) {
  std::vector<double> seconds;
  for (auto _ : state) {
    Lazy<Cell> list;
    for (long i = 1; i <= cells; ++i) list = Lazy<Cell>(Cell{i, list});
    const Walk done = bench::await(trawl::par(trawl::lazy<walk>(list)));
    if (done.sum != cells * (cells + 1) / 2 || done.process == getpid())
      return state.SkipWithError("wrong sum, or nothing was fetched");
    state.SetIterationTime(done.seconds);
    seconds.push_back(done.seconds);
  }
  std::nth_element(seconds.begin(), seconds.begin() + walks / 2, seconds.end());
  state.counters["each"] = seconds[walks / 2] / cells;
}

BENCHMARK(list_by_mpi)->Name("mpi/list")->UseManualTime()->Iterations(1);
BENCHMARK(list)->UseManualTime()->Iterations(walks);

}  // namespace

int main(int argc, char** argv) {
  return bench::main<send_cells>(argc, argv);
}
