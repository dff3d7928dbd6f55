// Which OS threads the collector knows: it stops and scans no others. For the files that call libgc
// (*_boehm.cpp).
#pragma once

#include <atomic>
#include <cstdint>

namespace trawl::heap {

enum class Registered : std::uint8_t { no, yes, leaving };
extern constinit thread_local Registered registered;

void register_thread();
void introduce_slowly();

/// To be called before the collector is asked for anything.
inline void introduce_thread() {
  if (registered != Registered::yes) [[unlikely]]
    introduce_slowly();
}

extern constinit std::atomic<unsigned> torture_every;
void collect_every(unsigned nth);

/// Before each allocation: see set_torture.
inline void torture() {
  const auto every = torture_every.load(std::memory_order_relaxed);
  if (every != 0) [[unlikely]]
    collect_every(every);
}

}  // namespace trawl::heap
