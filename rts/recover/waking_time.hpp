// How long others have had to answer.
#pragma once

#include <algorithm>

#include "rts/inline/bytes.hpp"

namespace trawl::recover {

/// Time that passes only while this PE is awake. A PE that was stopped (Ctrl-Z, a frozen machine)
/// or got no core has read no messages meanwhile, and must not hold their absence against others:
/// however long it has not looked, that counts as one longest look.
class WakingTime {
 public:
  /// More than a PE sleeps between two looks of its own accord.
  static constexpr Nanos longest_look = 20'000'000;

  explicit WakingTime(Nanos clock) : last_(clock) {}

  /// Looks at the clock.
  void look(Nanos clock) noexcept {
    now_ += std::clamp<Nanos>(clock - last_, 0, longest_look);
    last_ = clock;
  }

  /// At the last look.
  Nanos now() const noexcept { return now_; }

 private:
  Nanos now_ = 0;
  Nanos last_;
};

}  // namespace trawl::recover
