// What tells whether all has been evaluated, once, with its arguments and results.
#pragma once

#include <cstdint>

namespace replay {

/// A number that depends on both, in their order.
inline std::uint64_t mix(std::uint64_t sum, std::uint64_t value) noexcept {
  constexpr std::uint64_t factor = 0x9E37'79B9'7F4A'7C15;
  sum = (sum ^ value) * factor;
  return sum ^ sum >> 32U;
}

}  // namespace replay
