// A fence whose price the rare party pays.
//
// Owner and thief of a spark pool each write one word and then read the other's (Dekker). Both need
// a full fence in between; with membarrier(2) the thief executes one on behalf of every thread of
// the process, and the owner, who is there a thousand times as often, needs none.
#pragma once

#include <atomic>

namespace trawl::sched {

#if defined(__SANITIZE_THREAD__)
// The thread sanitizer does not know membarrier: there, both parties pay.
inline constexpr auto owner_order = std::memory_order_seq_cst;
#else
inline constexpr auto owner_order = std::memory_order_relaxed;
#endif

/// Between the owner's write and its read: keeps the compiler from swapping them.
inline void light_fence() noexcept {
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

}  // namespace trawl::sched
