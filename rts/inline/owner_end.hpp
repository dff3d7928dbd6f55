// The owner's end of a spark pool (sched/spark_pool.hpp): all that spawn and sync touch where
// nobody else has taken anything.
#pragma once

#include <atomic>
#include <cstdint>

#include "code.hpp"
#include "fence.hpp"
#include "slot.hpp"
#include "tally.hpp"

namespace trawl::sched {

class OwnerEnd {
 public:
  OwnerEnd(const OwnerEnd&) = delete;
  OwnerEnd& operator=(const OwnerEnd&) = delete;

  /// A call, which its spawner must take_back or reclaim. `arguments` fit, or it is an Elsewhere.
  /// When the pool is full nobody else will take it. (By value: of what is read by a reference, in
  /// two places, g++ keeps a copy on the stack.)
  template <class... A>
  [[gnu::always_inline]] Slot* push(const heap::Code& code, A... arguments) {
    calls_.add();
    Slot* const bottom = bottom_.load(std::memory_order_relaxed);
    if (bottom >= end_.load(std::memory_order_relaxed)) [[unlikely]] {
      bottom->put(code, arguments...);  // handing them over otherwise would cost the fast way
      return push_call_at_end();
    }
    bottom->put(code, arguments...);
    bottom_.store(bottom + 1, std::memory_order_release);
    return bottom;
  }

  /// Takes a call back if it is the newest spark and nobody else has taken it. Its arguments may be
  /// read until the next push.
  bool take_back(Slot* slot) noexcept {
    // As a distance: of two equal addresses g++ keeps both in registers, from push on.
    const auto above = reinterpret_cast<std::uintptr_t>(bottom_.load(std::memory_order_relaxed));
    return above - reinterpret_cast<std::uintptr_t>(slot) == sizeof(Slot) && claim(slot);
  }

  /// For the slot of a call that its spawner has reclaimed and makes himself.
  void discard(const Slot* slot) noexcept;

 protected:
  OwnerEnd() = default;
  ~OwnerEnd() = default;

  bool claim(Slot* newest) noexcept {
    if (claim_quickly(newest)) [[likely]]
      return true;
    return claim_contended(newest);
  }
  /// False: a thief may be at it, and claim_contended has to follow.
  bool claim_quickly(Slot* newest) noexcept {
    bottom_.store(newest, owner_order);
    light_fence();
    return top_.load(owner_order) <= newest;
  }

  [[gnu::cold]] Slot* push_call_at_end();
  bool claim_contended(Slot* newest) noexcept;

  // Thieves read it. It comes first, as g++ keeps its address in a register between spawn and sync.
  std::atomic<Slot*> bottom_;
  std::atomic<Slot*> end_;  // where room ends, or the beginning while sparks are watched for
  Tally calls_;
  alignas(64) std::atomic<Slot*> top_;  // what thieves take next
};

}  // namespace trawl::sched
