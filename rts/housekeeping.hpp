// What a PE does every so often.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "rts/life/life.hpp"

namespace trawl::sched {
class Worker;
}

namespace trawl {

/// A list of chores, done in its order. Guarded by its PE's lock.
class Housekeeping {
 public:
  enum class When : std::uint8_t { always, until_stopping, while_running };

  struct Chore {
    When when;
    Nanos interval;  ///< at least
    /// `now` by this PE's clock, `by` as in Host::poll.
    std::function<void(Nanos now, sched::Worker* by)> work;
    Nanos next = 0;
  };

  Housekeeping(const life::Life& life, std::vector<Chore> chores)
      : life_(life), chores_(std::move(chores)) {}

  bool due(Nanos now) const noexcept { return now >= next_; }
  void keep(Nanos now, sched::Worker* by);

 private:
  bool allowed(When when) const noexcept;

  const life::Life& life_;
  std::vector<Chore> chores_;
  Nanos next_ = 0;
};

}  // namespace trawl
