// How many cores of its host others use: for a PE that leaves them to its owner.
#pragma once

#include <utility>
#include <vector>

#include <sys/types.h>

#include "rts/inline/bytes.hpp"

namespace trawl {

/// Seconds of processor time that a host has given so far; 0 where /proc doesn't tell.
struct HostTimes {
  double all = 0;
  double own = 0;  ///< to some processes: what those that have ended had is missing
};
HostTimes host_times(const std::vector<pid_t>& own);

/// Cores that others have used on average; 0 if one of the own has ended meanwhile.
double used_by_others(const HostTimes& before, const HostTimes& now, Nanos passed);

/// Do others want the host's cores? Asked now and then.
class OwnerIsBack {
 public:
  /// Yes if they use that many cores at three looks in a row.
  OwnerIsBack(std::vector<pid_t> own, double cores) : own_(std::move(own)), cores_(cores) {}

  /// `now` by any steady clock.
  bool look(Nanos now);

 private:
  std::vector<pid_t> own_;
  double cores_;
  HostTimes before_;
  Nanos last_look_ = 0;  // 0: none yet
  int in_a_row_ = 0;
};

}  // namespace trawl
