// Looks after a PE's messages while all its workers are inside long functions.
#pragma once

#include <atomic>
#include <thread>

#include "rts/progress/engine.hpp"
#include "rts/progress/spares.hpp"

namespace trawl::progress {

/// An OS thread that is parked most of the time: a PE answers within a millisecond even if its
/// workers never call the runtime. It also sees to it that no woken thread waits for such a
/// function's end.
class ProgressThread {
 public:
  explicit ProgressThread(Engine& engine);
  ~ProgressThread();
  ProgressThread(const ProgressThread&) = delete;
  ProgressThread& operator=(const ProgressThread&) = delete;

 private:
  void watch();

  Engine& engine_;
  Spares spares_;
  std::atomic<bool> leaving_{false};
  std::thread thread_;
};

/// Lets short parks of the calling OS thread be short: by default the kernel adds 50 us.
void wake_up_on_time();

}  // namespace trawl::progress
