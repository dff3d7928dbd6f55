// Sparks that have arrived, first in, first out.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "rts/host/brief_mutex.hpp"
#include "rts/inline/node.hpp"

namespace trawl::sched {

/// Any thread may call any function. What is in it lives; but of sparks that have fizzled there are
/// never many more than of others, since their values may be large.
class SparkQueue {
 public:
  void add(heap::Node* spark);
  /// The oldest, which may have fizzled; nullptr if there is none.
  heap::Node* take();
  /// How many there are at about this moment, fizzled ones included.
  std::size_t size() const noexcept { return count_.load(std::memory_order_relaxed); }
  /// How many were found fizzled, and left out.
  std::uint64_t fizzled() const noexcept { return fizzled_.load(std::memory_order_acquire); }

 private:
  void leave_out_fizzled();

  static constexpr std::size_t few = 16;

  BriefMutex lock_;
  std::deque<heap::Node*> sparks_;
  std::size_t look_at_ = few;  // how long the queue is when fizzled ones are looked for
  std::atomic<std::size_t> count_{0};
  std::atomic<std::uint64_t> fizzled_{0};
};

}  // namespace trawl::sched
