// How long to wait after fishing in vain.
#pragma once

#include <cstdint>

#include "rts/balance/fish.hpp"

namespace trawl::balance {

/// How long a FISH may be held by the PE where it ends in vain, or its thief waits before the next,
/// in nanoseconds: doubling, with jitter so that PEs that fell idle together do not fish together.
class Backoff {
 public:
  static constexpr Nanos longest = Fish::longest_patience;

  /// Throws Error (exit code 2) unless 0 < min <= max <= an hour.
  Backoff(Nanos min, Nanos max);

  /// The next delay, in [min, max].
  Nanos next(std::uint64_t random) noexcept;
  /// Work was found.
  void reset() noexcept { base_ = min_; }
  Nanos shortest() const noexcept { return min_; }

 private:
  Nanos min_;
  Nanos max_;
  Nanos base_;
};

}  // namespace trawl::balance
