// GB/s (10^9 bytes) at which arrays of 64 MiB are fetched from the other PE, one after the other.
// The first half of them is there to fill the heap: memory never touched before takes either
// program several times as long, mpi_bulk too. Run under mpiexec -n 2 with
// --trawl:workers=1 --trawl:fish-delay=0.1 --trawl:fish-delay-max=0.1, so that both PEs are awake.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include <trawl.hpp>
#include <unistd.h>

namespace {

using trawl::force;
using trawl::Lazy;
using Array = std::vector<double>;

constexpr std::size_t length = std::size_t{8} << 20U;
constexpr std::size_t arrays = 40;

// As a list, so that nobody holds what has been fetched.
struct Arrays {
  Lazy<Array> first;
  Lazy<Arrays> rest;
};

struct Fetched {
  double seconds = 0;  // the median
  bool right = true;
  long process = 0;  // who fetched
};

Fetched fetch_all(Lazy<Arrays> all) {
  Fetched done{0, true, getpid()};
  std::vector<double> times;
  for (std::size_t i = 0; i < arrays; ++i) {
    const Arrays& next = force(all);
    const auto begin = std::chrono::steady_clock::now();
    const Array& array = force(next.first);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    if (i >= arrays / 2) times.push_back(time.count());
    const auto expected = static_cast<double>(i);
    done.right = done.right && array.size() == length &&
                 std::all_of(array.begin(), array.end(), [=](double x) { return x == expected; });
    all = next.rest;
  }
  std::sort(times.begin(), times.end());
  done.seconds = times[times.size() / 2];
  return done;
}

int root() {
  Lazy<Arrays> all;
  for (std::size_t i = arrays; i-- > 0;)
    all = Lazy<Arrays>({Lazy<Array>(Array(length, static_cast<double>(i))), all});
  auto& worker = trawl::sched::worker_here();
  worker.host().bell().attend();  // as it polls by itself
  const auto fetched = trawl::par(trawl::lazy<fetch_all>(all));
  while (!fetched.evaluated()) worker.host().poll(&worker);
  const Fetched done = force(fetched);
  if (!done.right || done.process == getpid()) return 1;
  std::printf("%.2f\n", length * sizeof(double) / done.seconds / 1e9);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
