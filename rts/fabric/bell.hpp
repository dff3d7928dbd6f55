// What a PE's OS threads sleep on when they wait for messages.
//
// A PE that is looked after by a polling worker needs no bell; the others would have to wake up
// again and again to look. So a sender whose PE shares memory with the receiver's rings, and wakes
// somebody there if nobody attends. README.md, The bell, says why no message is slept through.
#pragma once

#include <atomic>
#include <cstdint>

#include "rts/bytes.hpp"

namespace trawl::fabric {

/// Lies in memory that all PEs of a host may share; zeros are a bell that nobody attends.
class alignas(64) Bell {
 public:
  // ---- senders, of any process

  /// Call when a message can be found there. Wakes a sleeping worker or else the doorman, unless a
  /// worker attends.
  void ring() noexcept;

  // ---- threads of the PE

  /// How often it has been rung. Read it before looking for something to do, hand it to `sleep`.
  std::uint32_t rings() const noexcept { return rings_.load(); }

  /// A worker looks for messages from now on, or is about to, until it stops.
  void attend() noexcept { attending_.fetch_add(1); }
  void stop_attending() noexcept { attending_.fetch_sub(1); }
  /// Does one look? He may have stopped since.
  bool attended() const noexcept { return attending_.load() > 0; }

  /// There is something to do for this worker of the own process.
  void ring_worker(int index) noexcept;
  /// There is a message that workers may not get round to.
  void ring_doorman() noexcept;

  /// Returns at a ring for this sleeper, after `time` at the latest; at once if `seen` is out of
  /// date.
  void sleep_as_worker(int index, std::uint32_t seen, Nanos time) noexcept;
  void sleep_as_doorman(std::uint32_t seen, Nanos time) noexcept;

 private:
  void wake_doorman() noexcept;
  void sleep(std::uint32_t seen, Nanos time, std::uint32_t name) noexcept;
  bool wake(std::uint32_t names, int most = 1) noexcept;

  // Apart, as senders write the one and the PE's own threads the others: what a polling worker does
  // not read stays in the senders' cache.
  std::atomic<std::uint32_t> rings_;
  alignas(64) std::atomic<std::int32_t> attending_;
  std::atomic<std::int32_t> sleeping_workers_;
  std::atomic<std::uint32_t> sleeping_doorman_;  // which of his sleeps it is; 0: awake, or woken
  std::uint32_t doorman_sleeps_;                 // his alone
};

}  // namespace trawl::fabric
