// Where the time goes: the loop's skeletons run into each other, unless somebody wants to know.
#pragma once

#include <cstdint>

#include <trawl/dist.hpp>
#include <trawl/trawl.hpp>

#include "programs/common/run_clock.hpp"

namespace bh {

/// Seconds, of all steps.
struct Phases {
  double sort = 0;    ///< bounds, keys, sorting
  double tree = 0;    ///< the crown, with an image of each shard
  double forces = 0;  ///< locally essential trees, walks, sums
  double motion = 0;  ///< balance, drift
};

/// Waits for the end of each phase, if there is somebody to be told how long it took.
class Stopwatch {
 public:
  explicit Stopwatch(Phases* phases) : phases_(phases), last_(trawl::now()) {}

  /// `made` is what the phase has made.
  template <class Made>
  void end(double Phases::*phase, const Made& made) {
    if (phases_ == nullptr) return;
    wait_for(made);
    phases_->*phase += programs::seconds_since(last_);
    begin();
  }
  /// What has been done since the last phase is none.
  void begin() { last_ = trawl::now(); }

 private:
  template <class T>
  static void wait_for(const trawl::Dist<T>& d) {
    static_cast<void>(d.size());
  }
  template <class T>
  static void wait_for(const trawl::Lazy<T>& x) {
    trawl::force(x);
  }
  template <class T>
  static void wait_for(const T&) {}  // of a Sequence everything is there

  Phases* phases_;
  std::int64_t last_;  // ns
};

}  // namespace bh
