#include "rts/balance/backoff.hpp"

#include <algorithm>

#include "rts/inline/error.hpp"

namespace trawl::balance {

Backoff::Backoff(Nanos min, Nanos max) : min_(min), max_(max), base_(min) {
  if (min <= 0 || max < min || max > longest) {
    throw Error("the delays between fish must be above 0, the longest not under the shortest", 2);
  }
}

Nanos Backoff::next(std::uint64_t random) noexcept {
  const auto share = static_cast<Nanos>(random >> 44);  // in [0, 2^20)
  const auto delay = std::min(base_ + ((base_ * share) >> 20), max_);
  // Half the maximum, so that the longest delays differ from each other too.
  base_ = std::min(2 * base_, std::max(max_ / 2, min_));
  return delay;
}

}  // namespace trawl::balance
