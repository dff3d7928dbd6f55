// Whose turn it is: of many times, which change one by one, the earliest.
#pragma once

#include <bit>
#include <cstddef>
#include <vector>

#include "rts/inline/bytes.hpp"

namespace trawl {

/// A tournament: setting a time costs O(log n), the earliest is known. Of equals, the lowest index.
class Turns {
 public:
  /// `n` times, all `never`.
  explicit Turns(std::size_t n)
      : leaves_(std::bit_ceil(n == 0 ? std::size_t{1} : n)),
        times_(leaves_, never),
        best_(2 * leaves_) {
    for (std::size_t i = 0; i < leaves_; ++i) best_[leaves_ + i] = i;
    for (std::size_t at = leaves_ - 1; at > 0; --at) best_[at] = best_[2 * at];
  }

  void set(std::size_t i, Nanos time) noexcept {
    times_[i] = time;
    for (std::size_t at = (leaves_ + i) / 2; at > 0; at /= 2) {
      const auto left = best_[2 * at];
      const auto right = best_[2 * at + 1];
      const auto best = times_[right] < times_[left] ? right : left;
      // Neither was it the earliest here, nor is it now: so it is further up.
      if (best == best_[at] && best != i) return;
      best_[at] = best;
    }
  }

  std::size_t first() const noexcept { return best_[1]; }
  Nanos earliest() const noexcept { return times_[first()]; }
  Nanos operator[](std::size_t i) const noexcept { return times_[i]; }

 private:
  std::size_t leaves_;
  std::vector<Nanos> times_;
  std::vector<std::size_t> best_;  // a tree: the winner of each pair below it
};

}  // namespace trawl
