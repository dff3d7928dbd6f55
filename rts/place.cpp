#include "rts/place.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include <sched.h>
#include <time.h>
#include <unistd.h>

namespace trawl {
namespace {

// Processor time: another process on this core must not make it look slow.
double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace

int usable_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) return 1;
  return std::max(1, CPU_COUNT(&cores));
}

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

// The fastest of several short trials, rounded so that equal machines are equal.
double measure_speed() {
  constexpr std::uint64_t rounds = 200'000;
  double best = 0;
  for (int trial = 0; trial < 5; ++trial) {
    const auto begin = processor_seconds();
    volatile std::uint64_t sink = 1;
    std::uint64_t x = sink;
    for (std::uint64_t i = 0; i < rounds; ++i) x = x * 6364136223846793005U + (x >> 33U);
    sink = x;
    const auto seconds = processor_seconds() - begin;
    if (seconds > 0) best = std::max(best, static_cast<double>(rounds) / seconds * 1e-6);
  }
  if (best <= 0) return 1;
  const auto grain = std::pow(10, std::floor(std::log10(best)) - 1);
  return std::round(best / grain) * grain;
}

}  // namespace trawl
