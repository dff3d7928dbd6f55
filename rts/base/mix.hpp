// Random bits from a number (SplitMix64).
#pragma once

#include <cstdint>

namespace trawl {

inline constexpr std::uint64_t mix_step = 0x9e3779b97f4a7c15;

/// Numbers that are mix_step apart give a good random sequence.
constexpr std::uint64_t mixed(std::uint64_t z) noexcept {
  z += mix_step;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace trawl
