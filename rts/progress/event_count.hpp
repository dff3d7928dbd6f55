// What a PE's OS threads park on when they wait for messages.
//
// A PE that a worker polls for needs none; the others would have to wake up again and again to
// look. So a sender whose PE shares memory with the receiver's notifies it, and wakes somebody
// there if nobody polls. README.md, The event count, says why no message is slept through.
#pragma once

#include <atomic>
#include <cstdint>

#include "rts/inline/bytes.hpp"

namespace trawl::progress {

/// Lies in memory that all PEs of a host may share; zeros are one for which nobody polls.
class alignas(64) EventCount {
 public:
  // ---- senders, of any process

  /// Call when a message can be found there. Wakes a parked worker or else the progress thread,
  /// unless a worker polls.
  void notify() noexcept;

  // ---- threads of the PE

  /// Changes with each notification. Read it before looking for something to do, park with it.
  std::uint32_t epoch() const noexcept { return epoch_.load(); }

  /// A worker looks for messages from now on, or is about to, until it stops.
  void begin_polling() noexcept { polling_.fetch_add(1); }
  void end_polling() noexcept { polling_.fetch_sub(1); }
  /// Does one look? He may have stopped since.
  bool polled() const noexcept { return polling_.load() > 0; }

  /// There is something to do for this worker of the own process.
  void notify_worker(int index) noexcept;
  /// There is a message that workers may not get round to.
  void notify_progress_thread() noexcept;

  /// Returns when this thread is notified, after `time` at the latest; at once if `epoch` is over.
  void park_worker(int index, std::uint32_t epoch, Nanos time) noexcept;
  void park_progress_thread(std::uint32_t epoch, Nanos time) noexcept;

 private:
  void wake_progress_thread() noexcept;
  void park(std::uint32_t epoch, Nanos time, std::uint32_t name) noexcept;
  bool wake(std::uint32_t names, int most = 1) noexcept;

  // Apart, as senders write the one and the PE's own threads the others: what a polling worker does
  // not read stays in the senders' cache.
  std::atomic<std::uint32_t> epoch_;
  alignas(64) std::atomic<std::int32_t> polling_;
  std::atomic<std::int32_t> parked_workers_;
  std::atomic<std::uint32_t> parked_progress_thread_;  // which time it is; 0: awake, or woken
  std::uint32_t progress_thread_parks_;                // its own
};

}  // namespace trawl::progress
