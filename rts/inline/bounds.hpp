// The least number that any PE has found so far: what lang's Bound stands on.
#pragma once

#include <cstdint>
#include <limits>

#include "shared_name.hpp"

namespace trawl::sched {

/// What stands for: nobody has found anything.
inline constexpr std::uint64_t nothing_found = std::numeric_limits<std::uint64_t>::max();

// All of these throw Error outside of a run.

SharedName new_bound();
/// The least that has been heard of here. Costs a look into a table.
std::uint64_t least_of(const SharedName& bound);
/// Somebody has found this. If it is less than what has been heard of here, all PEs are told; and
/// so says the result.
bool found(const SharedName& bound, std::uint64_t number);

}  // namespace trawl::sched
