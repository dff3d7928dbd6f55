// Virtual times that do not overflow.
#pragma once

#include <cmath>

#include "rts/inline/bytes.hpp"

namespace trawl {

/// So many nanoseconds after `now`, but at most some seventy years: what takes longer, does not
/// end.
inline Nanos after(Nanos now, double takes) noexcept {
  constexpr Nanos end = never / 4;
  if (static_cast<double>(now) + takes < static_cast<double>(end)) return now + std::llround(takes);
  return now < end ? end : now;
}

}  // namespace trawl
