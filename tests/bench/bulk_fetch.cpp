// Arrays of 64 MiB asked for one by one, from the other PE and by plain MPI from the other rank.
// The first half of them is there to fill the heap: memory never touched before takes either
// several times as long. Run under mpiexec -n 2 with --trawl:workers=1 --trawl:fish-delay=0.1
// --trawl:fish-delay-max=0.1, so that both PEs are awake. Seconds an array; UCX is left as it is.
#include <algorithm>
#include <memory>
#include <vector>

#include <unistd.h>

#include "tests/bench/two_pes.hpp"

namespace {

using trawl::force;
using trawl::Lazy;
using Array = std::vector<double>;
using bench::Clock;
using bench::seconds_since;

constexpr std::size_t length = std::size_t{8} << 20U;
constexpr std::size_t arrays = 40;

bool is_all(const double* array, double x) {
  return std::all_of(array, array + length, [x](double each) { return each == x; });
}

/// Of the second half.
double median(std::vector<double> times) {
  times.erase(times.begin(), times.begin() + arrays / 2);
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

// ---- plain MPI ---------------------------------------------------------------------------------

void bulk_by_mpi(benchmark::State& state) {
  std::vector<double> times;
  for (auto _ : state) {
    const auto begin = Clock::now();
    const std::unique_ptr<double[]> array(new double[length]);
    const auto which = static_cast<long>(times.size());
    MPI_Send(&which, 1, MPI_LONG, 1, bench::echo_tag, MPI_COMM_WORLD);
    MPI_Recv(array.get(), length, MPI_DOUBLE, 1, bench::echo_tag, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    times.push_back(seconds_since(begin));
    state.SetIterationTime(times.back());
    if (!is_all(array.get(), static_cast<double>(which)))
      return state.SkipWithError("wrong numbers");
  }
  state.counters["each"] = median(times);
}

void send_arrays() {
  bench::serve([](long which) {
    const Array array(length, static_cast<double>(which));
    MPI_Send(array.data(), length, MPI_DOUBLE, 0, bench::echo_tag, MPI_COMM_WORLD);
  });
}

// ---- Trawl -------------------------------------------------------------------------------------

// As a list, so that nobody holds what has been fetched.
struct Arrays {
  Lazy<Array> first;
  Lazy<Arrays> rest;
};

struct Fetched {
  double seconds = 0;
  bool right = true;
  long process = 0;  // who fetched
};

Fetched fetch_all(Lazy<Arrays> all) {
  Fetched done{0, true, getpid()};
  std::vector<double> times;
  for (std::size_t i = 0; i < arrays; ++i) {
    const Arrays& next = force(all);
    const auto begin = Clock::now();
    const Array& array = force(next.first);
    times.push_back(seconds_since(begin));
    done.right =
        done.right && array.size() == length && is_all(array.data(), static_cast<double>(i));
    all = next.rest;
  }
  done.seconds = median(times);
  return done;
}

void bulk(benchmark::State& state) {
  for (auto _ : state) {
    Lazy<Arrays> all;
    for (std::size_t i = arrays; i-- > 0;)
      all = Lazy<Arrays>({Lazy<Array>(Array(length, static_cast<double>(i))), all});
    const Fetched done = bench::await(trawl::par(trawl::lazy<fetch_all>(all)));
    if (!done.right || done.process == getpid())
      return state.SkipWithError("wrong numbers, or nothing was fetched");
    state.SetIterationTime(done.seconds);
  }
}

BENCHMARK(bulk_by_mpi)->Name("mpi/bulk")->UseManualTime()->Iterations(arrays);
BENCHMARK(bulk)->UseManualTime()->Iterations(1);

}  // namespace

int main(int argc, char** argv) {
  return bench::main<send_arrays>(argc, argv);
}
