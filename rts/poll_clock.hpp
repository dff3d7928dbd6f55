// What time it is, for who polls: reading the clock takes as long as a short message does.
#pragma once

#include <atomic>

#include "rts/fabric/fabric.hpp"

namespace trawl {

/// The clock of one PE. Guarded by its lock.
class PollClock {
 public:
  /// `last_poll`: where it says when the last poll began; any thread may read that.
  PollClock(const fabric::Fabric& fabric, std::atomic<Nanos>& last_poll)
      : fabric_(fabric), last_poll_(last_poll) {}

  /// A poll begins. `just_read`: whoever polls has only listened since his last poll, and a message
  /// has come; then the clock is not read again, but not twice running.
  void begin(bool just_read) {
    polling_ = true;
    skipped_ = just_read && !skipped_;
    if (skipped_) return;
    read();
    last_poll_.store(time_, std::memory_order_relaxed);
  }
  void end() noexcept { polling_ = false; }
  void resume() noexcept { polling_ = true; }
  bool polling() const noexcept { return polling_; }

  void read() { time_ = fabric_.now(); }
  /// While polling: about when the newest message arrived.
  Nanos time() const noexcept { return time_; }
  Nanos now() const noexcept { return polling_ ? time_ : fabric_.now(); }

  /// After all workers have stood still, it is no longer recent.
  void set_last_poll(Nanos time) noexcept { last_poll_.store(time, std::memory_order_relaxed); }

 private:
  const fabric::Fabric& fabric_;
  std::atomic<Nanos>& last_poll_;
  bool polling_ = false;
  bool skipped_ = false;  // by the last poll
  Nanos time_ = 0;
};

}  // namespace trawl
