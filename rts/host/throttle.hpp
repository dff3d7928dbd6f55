// Makes one OS thread slower than its core is, for the rehearsal of grids with slow PEs.
#pragma once

#include <functional>

#include <time.h>

#include "rts/inline/bytes.hpp"

namespace trawl {

/// While it lives, the thread that made it gets a share of a core's time at most: from time to time
/// a signal makes it sleep, wherever it is, for 5 ms at most; but not while it holds a BriefMutex.
/// Needs no rights.
class Throttle {
 public:
  /// Both are called in a signal handler. `share`: in (0, 1], at this moment. `may_sleep`: not
  /// while others would wait for what this thread is about; it is asked again soon.
  struct Hooks {
    std::function<double()> share;
    std::function<bool()> may_sleep;
  };

  /// Throws Error when the system has no timer left.
  explicit Throttle(Hooks hooks);
  ~Throttle();
  Throttle(const Throttle&) = delete;
  Throttle& operator=(const Throttle&) = delete;

  /// By its thread, when that has no more to do: sleeps off what it has used, and rests.
  void settle();

 private:
  static void on_signal(int);
  void look();
  double account();
  void sleep_off(double share, Nanos longest) const;
  void arm(Nanos after) const noexcept;

  Hooks hooks_;
  timer_t timer_{};
  Nanos last_wall_;
  Nanos last_processor_;
  double budget_ = 0;  // processor time it may use before it has to sleep
  bool volatile settling_ = false;
};

}  // namespace trawl
