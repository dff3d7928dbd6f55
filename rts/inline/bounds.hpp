// The least number that any PE has found so far: what lang's Bound stands on.
#pragma once

#include <cstdint>
#include <limits>

namespace trawl::sched {

/// A bound's name, alike on all PEs; number 0: of none.
struct BoundName {
  std::uint32_t pe = 0;
  std::uint32_t number = 0;

  friend bool operator==(const BoundName&, const BoundName&) = default;
};

/// What stands for: nobody has found anything.
inline constexpr std::uint64_t nothing_found = std::numeric_limits<std::uint64_t>::max();

// All of these throw Error outside of a run.

BoundName new_bound();
/// The least that has been heard of here. Costs a look into a table.
std::uint64_t least_of(const BoundName& bound);
/// Somebody has found this. If it is less than what has been heard of here, all PEs are told; and
/// so says the result.
bool found(const BoundName& bound, std::uint64_t number);

}  // namespace trawl::sched
