// A spark fished by the other PE, evaluated there (trivially), and its value back. Run under
// mpiexec -n 2 with --trawl:workers=1. Both PEs are awake: each looks for messages all the time.
#include "tests/bench/two_pes.hpp"

namespace {

long echo(long x) {
  return x;
}

void spark(benchmark::State& state) {
  long sum = 0;
  for (auto _ : state) sum += bench::await(trawl::par(trawl::lazy<echo>(1)));
  if (sum != static_cast<long>(state.iterations())) state.SkipWithError("wrong value");
}

BENCHMARK(bench::round_trip)->Name("mpi/round_trip")->Iterations(200'000);
BENCHMARK(spark)->Iterations(50'000);

}  // namespace

int main(int argc, char** argv) {
  return bench::main<bench::echo>(argc, argv);
}
