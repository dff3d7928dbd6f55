// What several policies choose by.
#pragma once

#include <cstdint>
#include <span>

#include "rts/balance/policy.hpp"

namespace trawl::balance {

/// Of these living PEs, one that `fish` has not visited, neither its thief nor this one, with equal
/// probability; -1: there is none.
int random_unvisited(const Tables& tables, std::span<const int> pes, const Fish& fish, Dice& dice);

/// A member of this PE's own cluster; -1: there is none.
int random_near(const Tables& tables, Dice& dice);

/// How many of the FISH under way went far, or not.
unsigned count_far(const Situation& pe, bool far) noexcept;

/// Work for the PE's strength (Grid-GUM2, section 3: high load relative to speed).
double relative_load(const Tables& tables, int pe);

/// The low-watermark of a PE by its strength, where that of a mean one is the flag's.
unsigned watermark_by_strength(const Tables& tables, unsigned flag);

/// Who is near this PE: its cluster or, if there is only one, whoever answers about as fast as the
/// nearest does. A PE of unknown latency counts as near.
bool is_near(const Tables& tables, int pe);

/// How close two clusters are: the more the closer, a step for each factor of four; 0 if unknown.
int closeness(const Tables& tables, std::uint32_t one, std::uint32_t other);

/// Keeps the best candidate offered: nearest first, then the higher load, then, of equals, any with
/// the same probability.
class Busiest {
 public:
  explicit Busiest(Dice& dice) : dice_(dice) {}

  void offer(int pe, int near, double load);
  int pe() const { return pe_; }

 private:
  Dice& dice_;
  int pe_ = -1;
  int near_ = 0;
  double load_ = 0;
  std::uint64_t equals_ = 0;
};

/// Calls `each(pe)` for the PEs last heard to have sparks: at most 2 * Tables::max_hot.
template <class Each>
void for_each_with_sparks(const Tables& tables, Each each) {
  for (const bool far : {false, true}) {
    const auto loads = tables.hot_loads(far);
    for (std::size_t i = 0; i < loads.size(); ++i)
      if (loads[i].sparks != 0) each(tables.hot(far)[i]);
  }
}

}  // namespace trawl::balance
