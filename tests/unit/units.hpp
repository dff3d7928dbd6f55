// Units of time, for tests.
#pragma once

#include "rts/inline/bytes.hpp"

namespace trawl {

inline constexpr Nanos us = 1'000;
inline constexpr Nanos ms = 1'000 * us;
inline constexpr Nanos second = 1'000 * ms;

}  // namespace trawl
