// Million cells per second at which a list of evaluated cells, made on one PE, is walked from the
// other: packing, messages and unpacking included. Run under mpiexec -n 2 with
// --trawl:workers=1 --trawl:fish-delay=0.1 --trawl:fish-delay-max=0.1, so that both PEs are awake.
#include <chrono>
#include <cstdio>

#include <trawl.hpp>
#include <unistd.h>

namespace {

using trawl::force;
using trawl::Lazy;

constexpr long cells = 1'000'000;

struct Cell {
  long value = 0;
  Lazy<Cell> next;
};

struct Walk {
  long sum = 0;
  double seconds = 0;
  long process = 0;  // who walked
};

Walk walk(Lazy<Cell> at) {
  Walk done{0, 0, getpid()};
  const auto begin = std::chrono::steady_clock::now();
  while (at) {
    const Cell& cell = force(at);
    done.sum += cell.value;
    at = cell.next;
  }
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  done.seconds = time.count();
  return done;
}

int root() {
  Lazy<Cell> list;
  for (long i = 1; i <= cells; ++i) list = Lazy<Cell>(Cell{i, list});
  auto& worker = trawl::sched::worker_here();
  worker.host().bell().attend();  // as it polls by itself
  const auto walked = trawl::par(trawl::lazy<walk>(list));
  while (!walked.evaluated()) worker.host().poll(&worker);
  const Walk done = force(walked);
  if (done.sum != cells * (cells + 1) / 2 || done.process == getpid()) return 1;
  std::printf("%.2f\n", static_cast<double>(cells) / done.seconds / 1e6);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
