// From whom threads have got what they waited for: for the event log.
#pragma once

#include <cstdint>

#include "rts/trace/format.hpp"

namespace trawl::sched {

/// Of a PE, guarded by its lock.
struct Gives {
  trace::Giver giver = trace::Giver::message;
  std::uint32_t thread = 0;  ///< its number, if it is one
};

/// With the PE's lock held: while this lives, threads are woken by what it says. Never one within
/// another.
class Giving {
 public:
  Giving(Gives& now, const Gives& gives) noexcept : now_(now) { now_ = gives; }
  ~Giving() { now_ = {}; }
  Giving(const Giving&) = delete;
  Giving& operator=(const Giving&) = delete;

 private:
  Gives& now_;
};

}  // namespace trawl::sched
