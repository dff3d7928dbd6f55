// What others do on this host: for a PE that leaves its cores to them.
#pragma once

#include <utility>
#include <vector>

#include <sys/types.h>

#include "rts/inline/bytes.hpp"

namespace trawl {

/// How many cores of the host processes other than some use.
class OthersUse {
 public:
  explicit OthersUse(std::vector<pid_t> own) : own_(std::move(own)) {}

  /// On average since the last look, `now` by any steady clock; 0 at the first, and where /proc
  /// doesn't tell. Those of `own` that have ended count no more.
  double look(Nanos now);

 private:
  std::vector<pid_t> own_;
  Nanos last_look_ = 0;
  double all_ = 0;  // seconds of processor time until then
  double owns_ = 0;
};

/// Do others want the host's cores? Asked now and then.
class OwnerIsBack {
 public:
  /// Yes if they use that many cores at `looks` looks in a row.
  OwnerIsBack(std::vector<pid_t> own, double cores) : use_(std::move(own)), cores_(cores) {}

  bool look(Nanos now);

 private:
  static constexpr int looks = 3;

  OthersUse use_;
  double cores_;
  int in_a_row_ = 0;
};

}  // namespace trawl
