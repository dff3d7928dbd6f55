// What an OS thread of a PE does that has nothing to do: polls on, gives its core away, or parks,
// and for how long. Pure: no clock is read here, and nobody waits. Workers, the progress thread and
// the simulator call it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "rts/inline/bytes.hpp"

namespace trawl::progress {

/// What nobody will be notified of (again).
struct Undone {
  bool waiting = false;    ///< a message that was notified of has not been taken
  bool under_way = false;  ///< one of ours needs another poll
  Nanos due = never;       ///< when something else needs one

  /// Who will not poll for long leaves this to the progress thread, which wakes by itself at a
  /// time: must it be notified?
  bool needs_poll_before(Nanos wakes) const noexcept { return waiting || under_way || due < wakes; }
};

/// What is known of a PE when one of its threads is about to park.
struct Situation {
  Nanos now = 0;
  Undone undone{};
  bool all_notify = true;  ///< every message does
  bool polled = false;     ///< somebody polls; whoever ends that, notifies of what he leaves undone
  bool busy = false;       ///< a worker is: what it puts into its pool nobody is notified of

  bool urgent = false;      ///< there are woken threads that a worker more would run
  std::size_t bound = 0;    ///< those that wait for a certain one
  std::uint64_t taken = 0;  ///< how many have been taken so far
};

/// How long a thread of the PE may park, if nothing is due.
Nanos longest_park(const Situation& situation) noexcept;

/// A worker, turn by turn.
class WorkerPolicy {
 public:
  enum class Next { poll, yield, park };

  /// `spins`: it may burn its core for a while, as each worker of the host has one.
  explicit WorkerPolicy(bool spins) noexcept : spins_(spins), parks_(!spins) {}

  /// It has found something to do.
  void found() noexcept {
    park_time_ = shortest_park;
    spin_until_ = 0;
    parks_ = !spins_;
  }

  /// Will it park if it finds nothing in this turn? Then it is to read the event count before.
  bool will_park() const noexcept { return parks_; }

  /// It has found nothing. `yield`: gives its core away, and then polls.
  Next next(Nanos now) noexcept;

  /// For how long it parks; longer each time.
  Nanos park_time(const Situation& situation) noexcept;

 private:
  static constexpr Nanos shortest_park = 20'000;

  bool spins_;
  bool parks_;
  Nanos park_time_ = shortest_park;
  Nanos spin_until_ = 0;  // 0: it has not begun to
  Nanos next_yield_ = 0;
};

/// The progress thread, time after time.
class ProgressThreadPolicy {
 public:
  /// Until when it parks. `looked`: it has polled, or need not; false: somebody else held the lock.
  Nanos park_until(const Situation& situation, bool looked) noexcept;

  /// It was to park until `until` and has woken. How long it rests before it looks.
  Nanos rest(Nanos now, Nanos until) noexcept;

 private:
  Nanos begun_ = 0;
  bool notified_ = true;
  int in_a_row_ = 0;
};

/// When a spare worker is called: no woken thread may wait for the end of a long function.
class SparePolicy {
 public:
  /// To be asked whenever the progress thread looks. True: call one now.
  bool look(const Situation& situation) noexcept;
  /// The next look, at the latest; `never` if no thread waits.
  Nanos next_look() const noexcept;

 private:
  Nanos waits_since_ = never;
  std::uint64_t taken_ = 0;
};

}  // namespace trawl::progress
