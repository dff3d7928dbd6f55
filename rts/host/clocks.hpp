// The host's clocks, in nanoseconds.
#pragma once

#include <time.h>

#include "rts/inline/bytes.hpp"

namespace trawl {

inline Nanos read_clock(clockid_t clock) noexcept {
  timespec time{};
  clock_gettime(clock, &time);
  return time.tv_sec * Nanos{1'000'000'000} + time.tv_nsec;
}

/// Steady; some 20 ns to read.
inline Nanos wall_time() noexcept {
  return read_clock(CLOCK_MONOTONIC);
}

/// What the calling OS thread has had of the processor; asks the system, some 200 ns.
inline Nanos processor_time() noexcept {
  return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

}  // namespace trawl
