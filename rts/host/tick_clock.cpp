#include "rts/host/tick_clock.hpp"

#include <limits>

#include "rts/host/clocks.hpp"

#ifdef __x86_64__
#include <cpuid.h>
#include <x86intrin.h>
#endif

namespace trawl {
namespace {

#ifdef __x86_64__
std::uint64_t ticks() noexcept {
  return __rdtsc();
}

bool has_one_pace() noexcept {
  constexpr unsigned power_management = 0x80000007;
  constexpr unsigned invariant = 1U << 8U;
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(power_management, &a, &b, &c, &d) != 0 && (d & invariant) != 0;
}
#else
std::uint64_t ticks() noexcept {
  return 0;
}

bool has_one_pace() noexcept {
  return false;
}
#endif

struct Moment {
  Nanos wall;
  std::uint64_t ticks;
};

/// Of several tries that in which the two were read closest together.
Moment both() noexcept {
  Moment best{};
  auto least = std::numeric_limits<Nanos>::max();
  for (int tries = 0; tries < 20; ++tries) {
    const auto before = wall_time();
    const auto at = ticks();
    const auto took = wall_time() - before;
    if (took >= least) continue;
    least = took;
    best = {before + took / 2, at};
  }
  return best;
}

}  // namespace

TickClock::TickClock() {
  if (!has_one_pace()) return;
  constexpr Nanos long_enough = 1'000'000;
  const auto first = both();
  while (wall_time() - first.wall < long_enough) {
  }
  const auto last = both();
  nanos_per_tick_ =
      static_cast<double>(last.wall - first.wall) / static_cast<double>(last.ticks - first.ticks);
}

Nanos TickClock::now() const noexcept {
  if (nanos_per_tick_ == 0) return wall_time();
  return static_cast<Nanos>(static_cast<double>(ticks()) * nanos_per_tick_);
}

}  // namespace trawl
