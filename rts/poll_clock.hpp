// What time it is, for who polls: reading the clock takes as long as a short message does.
#pragma once

#include <atomic>

#include "rts/fabric/fabric.hpp"
#include "rts/inline/tally.hpp"

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

  /// All workers have stood still: when the last poll began is no longer recent.
  void stood_still(Nanos from, Nanos until) noexcept {
    last_poll_.store(until, std::memory_order_relaxed);
    stood_.add(static_cast<std::uint64_t>(until - from));
  }

  /// A moment, from which can be told how long something has taken, collections apart.
  struct Mark {
    Nanos time = 0;
    std::uint64_t stood = 0;
  };
  Mark mark() const { return {now(), stood_.value()}; }
  // A collection that was over by then may only be told of afterwards.
  Nanos since(const Mark& mark) const {
    const Nanos all = fabric_.now() - mark.time;
    const auto stood = static_cast<Nanos>(stood_.value() - mark.stood);
    return stood <= all ? all - stood : all;
  }

 private:
  const fabric::Fabric& fabric_;
  std::atomic<Nanos>& last_poll_;
  bool polling_ = false;
  bool skipped_ = false;  // by the last poll
  Nanos time_ = 0;
  Tally stood_;  // written by who collects
};

}  // namespace trawl
