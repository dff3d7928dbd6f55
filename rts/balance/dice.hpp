// Random numbers for decisions, from the random bits that a caller passes in.
#pragma once

#include <cstdint>
#include <span>

#include "rts/base/mix.hpp"

namespace trawl::balance {

/// As many numbers as a decision needs (SplitMix64).
class Dice {
 public:
  explicit Dice(std::uint64_t random) noexcept : state_(random) {}

  std::uint64_t bits() noexcept {
    const auto bits = mixed(state_);
    state_ += mix_step;
    return bits;
  }
  /// A number in [0, bound), for 0 < bound <= 2^32.
  std::uint64_t below(std::uint64_t bound) noexcept { return ((bits() >> 32) * bound) >> 32; }
  /// A number in [0, 1).
  double share() noexcept { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  /// One of these; there must be some.
  int one_of(std::span<const int> pes) noexcept { return pes[below(pes.size())]; }

 private:
  std::uint64_t state_;
};

}  // namespace trawl::balance
