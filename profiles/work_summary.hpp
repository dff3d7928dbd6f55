// How work travelled, in numbers.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "profiles/fishing.hpp"
#include "profiles/granularity.hpp"

namespace trawl::profile {

/// More groups than this don't fit a line.
inline constexpr int most_listed_groups = 8;

/// A table of thieves and victims, and a line each about beliefs, threads and packets. Empty lines
/// are left out.
std::string work_table(const FishMatrix& fishes, const Beliefs& beliefs,
                       const Granularity& granularity);

/// The same numbers, by PE; times in seconds.
nlohmann::json work_json(const Fishing& fishing, const Granularity& granularity);

}  // namespace trawl::profile
