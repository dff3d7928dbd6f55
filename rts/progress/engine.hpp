// What a PE's OS threads tell each other of its progress, and what the progress thread asks of it.
#pragma once

#include <atomic>
#include <functional>

#include "rts/progress/event_count.hpp"
#include "rts/progress/idle_policy.hpp"

namespace trawl::progress {

/// Any thread may read it, without the PE's lock.
struct State {
  /// When the progress thread wakes by itself, at last; `never` while it is still finding out. So
  /// who leaves something that is due sooner knows that he has to notify it, and else that he need
  /// not. Without a progress thread nobody need.
  std::atomic<Nanos> progress_thread_wakes{0};
  /// One of the idle workers that are not parked polls for all: the attendant.
  std::atomic<bool> attended{false};

  // ---- what each poll writes

  alignas(64) std::atomic<bool> under_way{false};  ///< one of our messages needs another poll
  /// When the last one began: about now, for who has just polled, and cheaper than the clock.
  std::atomic<Nanos> last_poll{0};
  std::atomic<Nanos> due{never};  ///< when one is needed of which nobody is notified
};

/// A PE as its progress thread sees it.
class Engine {
 public:
  EventCount& events() const noexcept { return events_; }
  State& state() const noexcept { return state_; }

  virtual Situation situation() const noexcept = 0;
  /// Looks after messages if a worker is busy: idle ones do by themselves. False: somebody else
  /// holds the lock.
  virtual bool look() = 0;
  /// A worker more. It is run by one OS thread that calls this again and again: each time, it runs
  /// threads that have been woken until there is none. Empty: there are too many.
  virtual std::function<void()> add_spare() = 0;

 protected:
  Engine(EventCount& events, State& state) noexcept : events_(events), state_(state) {}
  ~Engine() = default;

 private:
  EventCount& events_;
  State& state_;
};

}  // namespace trawl::progress
