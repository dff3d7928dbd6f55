// A mutex of which it is known whether the calling OS thread holds one.
#pragma once

#include <mutex>

namespace trawl {

/// For what is held for some instructions only: who holds one is not made to sleep by a throttle.
class BriefMutex {
 public:
  void lock() {
    count(1);
    mutex_.lock();
  }
  bool try_lock() {
    count(1);
    if (mutex_.try_lock()) return true;
    count(-1);
    return false;
  }
  void unlock() {
    mutex_.unlock();
    count(-1);
  }

  /// Does the calling OS thread hold any of them, or is it about to? For signal handlers.
  static bool held_here() noexcept;

 private:
  static void count(int more) noexcept;

  std::mutex mutex_;
};

}  // namespace trawl
