#include "rts/host/memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "rts/host/clocks.hpp"

namespace trawl {
namespace {

double page() {
  return static_cast<double>(sysconf(_SC_PAGESIZE));
}

// Of two tries the quicker one.
double measure_new_memory() {
  constexpr std::size_t bytes = 1U << 20U;
  constexpr std::size_t step = 4096;
  auto least = std::numeric_limits<Nanos>::max();
  for (int i = 0; i < 2; ++i) {
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return 0;
    const auto begun = wall_time();
    for (std::size_t at = 0; at < bytes; at += step) static_cast<volatile char*>(memory)[at] = 1;
    least = std::min(least, wall_time() - begun);
    munmap(memory, bytes);
  }
  return static_cast<double>(least) / static_cast<double>(bytes);
}

}  // namespace

double memory_of_host() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * page();
}

double memory_in_use(double bound, std::size_t unused) {
  double mapped = 0;
  double resident = 0;
  if (!(std::ifstream("/proc/self/statm") >> mapped >> resident)) return 0;
  auto share = std::max(resident * page() - static_cast<double>(unused), 0.0) / bound;
  rlimit most{};
  if (getrlimit(RLIMIT_AS, &most) == 0 && most.rlim_cur != RLIM_INFINITY)
    share = std::max(share, (mapped * page() - static_cast<double>(unused)) /
                                static_cast<double>(most.rlim_cur));
  return share;
}

double time_of_new_memory() {
  static const double time = measure_new_memory();
  return time;
}

}  // namespace trawl
