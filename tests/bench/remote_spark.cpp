// Microseconds for a raw MPI round trip, and for a spark to be fished by the other PE, evaluated
// there (trivially), and its value to be back. Run under mpiexec -n 2 with --trawl:fish-delay=0.1
// --trawl:fish-delay-max=0.1, so that both PEs are awake.
#include <chrono>
#include <cstdio>
#include <vector>

#include <trawl.hpp>

#include "tests/bench/round_trip.hpp"

namespace {

double raw = 0;

long echo(long x) {
  return x;
}

int root() {
  constexpr int rounds = 50'000;
  constexpr int warm_up = 5'000;
  auto& worker = trawl::sched::worker_here();
  worker.host().bell().attend();  // as it polls by itself
  auto begin = std::chrono::steady_clock::now();
  long sum = 0;
  for (int i = -warm_up; i < rounds; ++i) {
    if (i == 0) begin = std::chrono::steady_clock::now();
    const auto x = trawl::par(trawl::lazy<echo>(i));
    while (!x.evaluated()) worker.host().poll(&worker);
    sum += trawl::force(x);
  }
  const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
  std::printf("%.3f %.3f\n", raw, time.count() / rounds);
  return sum == 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  raw = bench::round_trip();
  return trawl::run<root>(argc, argv);
}
