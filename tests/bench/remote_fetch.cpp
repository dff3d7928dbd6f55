// A small value fetched from the other PE: a thread needs it, blocks, and goes on with it. Run
// under mpiexec -n 2 with --trawl:workers=1 --trawl:packet-size=1, so that every value is fetched
// by itself. Both PEs look for messages all the time; with a shorter --trawl:fish-delay each FETCH
// would have a FISH for company.
#include <vector>

#include <unistd.h>

#include "tests/bench/two_pes.hpp"

namespace {

using trawl::force;
using trawl::Lazy;

constexpr long values = 1'000;  // at a time: as plain MPI's, they are in the cache
constexpr long batches = 60;
constexpr long warm_up = 10;

struct Sum {
  long sum = 0;
  double seconds = 0;
  long process = 0;  // who fetched
};

Sum add(const std::vector<Lazy<long>>& numbers) {
  Sum done{0, 0, getpid()};
  const auto begin = bench::Clock::now();
  for (const auto& number : numbers) done.sum += force(number);
  done.seconds = bench::seconds_since(begin);
  return done;
}

void fetch(benchmark::State& state) {
  double seconds = 0;
  long batch = 0;
  for (auto _ : state) {
    std::vector<Lazy<long>> numbers;
    for (long i = 1; i <= values; ++i) numbers.emplace_back(i);
    const Sum done = bench::await(trawl::par(trawl::lazy<add>(numbers)));
    if (done.sum != values * (values + 1) / 2 || done.process == getpid())
      return state.SkipWithError("wrong sum, or nothing was fetched");
    state.SetIterationTime(done.seconds);
    if (batch++ >= warm_up) seconds += done.seconds;
  }
  state.counters["each"] = seconds / static_cast<double>(values * (batches - warm_up));
}

BENCHMARK(bench::round_trip)->Name("mpi/round_trip")->Iterations(200'000);
BENCHMARK(fetch)->UseManualTime()->Iterations(batches);

}  // namespace

int main(int argc, char** argv) {
  return bench::main<bench::echo>(argc, argv);
}
