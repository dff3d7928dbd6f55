// Looks after a PE's messages while all its workers are inside long functions.
#pragma once

#include <atomic>
#include <semaphore>
#include <thread>

#include "rts/sched/spares.hpp"
#include "rts/sched/workers.hpp"

namespace trawl::sched {

/// An OS thread that sleeps most of the time: a PE answers within a millisecond even if its workers
/// never call the runtime. He also sees to it that no woken thread waits for such a function's end.
class Doorman {
 public:
  explicit Doorman(Workers& workers);
  ~Doorman();
  Doorman(const Doorman&) = delete;
  Doorman& operator=(const Doorman&) = delete;

 private:
  void watch();
  Nanos time_to_sleep(bool looked, bool rung, Nanos now) const;

  Workers& workers_;
  Spares spares_;
  std::atomic<bool> leaving_{false};
  std::thread thread_;
};

/// Lets short sleeps of the calling OS thread be short: by default the kernel adds 50 us.
void wake_up_on_time();

}  // namespace trawl::sched
