// Virtual times that do not overflow.
#pragma once

#include <cmath>

#include "rts/inline/bytes.hpp"

namespace trawl {

/// So many nanoseconds after `now`, but at most some seventy years: what takes longer, does not
/// end.
inline Nanos after(Nanos now, double takes) noexcept {
  constexpr Nanos end = never / 4;
  if (!(static_cast<double>(now) + takes < static_cast<double>(end))) return now < end ? end : now;
  const auto whole = static_cast<Nanos>(takes);
  return now + (static_cast<double>(whole) == takes ? whole : std::llround(takes));
}

}  // namespace trawl
