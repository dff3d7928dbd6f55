// Microseconds for a raw MPI round trip, and for a FETCH of a small value from the other PE: a
// thread needs it, blocks, and goes on with it. Run under mpiexec -n 2 with --trawl:workers=1
// --trawl:packet-size=1, so that every value is fetched by itself, and --trawl:fish-delay=0.1
// --trawl:fish-delay-max=0.1, so that both PEs are awake.
#include <chrono>
#include <cstdio>
#include <vector>

#include <trawl.hpp>
#include <unistd.h>

#include "tests/bench/round_trip.hpp"

namespace {

double raw = 0;

using trawl::force;
using trawl::Lazy;

constexpr long values = 50'000;
constexpr long warm_up = 5'000;

struct Sum {
  long sum = 0;
  double microseconds = 0;  // a value
  long process = 0;         // who fetched
};

Sum add(std::vector<Lazy<long>> numbers) {
  Sum done{0, 0, getpid()};
  auto begin = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i == warm_up) begin = std::chrono::steady_clock::now();
    done.sum += force(numbers[i]);
  }
  const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
  done.microseconds = time.count() / values;
  return done;
}

int root() {
  std::vector<Lazy<long>> numbers;
  for (long i = 1; i <= warm_up + values; ++i) numbers.emplace_back(i);
  auto& worker = trawl::sched::worker_here();
  worker.host().bell().attend();  // as it polls by itself
  const auto added = trawl::par(trawl::lazy<add>(numbers));
  while (!added.evaluated()) worker.host().poll(&worker);
  const Sum done = force(added);
  constexpr long all = warm_up + values;
  if (done.sum != all * (all + 1) / 2 || done.process == getpid()) return 1;
  std::printf("%.3f %.3f\n", raw, done.microseconds);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  raw = bench::round_trip();
  return trawl::run<root>(argc, argv);
}
