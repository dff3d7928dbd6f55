// What a shard of distributed data took: for who divides the next step's work among PEs.
#pragma once

#include "rts/inline/bytes.hpp"

namespace trawl::sched {

class Worker;

/// What one Trawl thread has had of the processor, collections not included. Begins with the first
/// question; while the thread is blocked it stands still.
class Meter {
 public:
  /// On the thread that is metered, on this worker.
  Nanos read(Worker& worker) noexcept;
  /// As the thread leaves its worker, and goes on on one. Does nothing before the first question.
  void stop(Worker& worker) noexcept;
  void go_on(Worker& worker) noexcept;
  /// Others have worked for this thread.
  void add(Nanos used) noexcept { sum_ += used; }

  /// Of what it has used, what has been said to be the cost of something.
  Nanos told = 0;

 private:
  static Nanos clock(Worker& worker) noexcept;

  bool runs_ = false;
  Nanos sum_ = 0;
  Nanos since_ = 0;
};

}  // namespace trawl::sched
