// The run in numbers.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "profiles/activity.hpp"

namespace trawl::profile {

/// A table with a line a PE and one for all. Shares are of the workers' time within the window.
std::string table(const Activity& activity);

/// The same numbers; times in seconds, shares from 0 to 1.
nlohmann::json to_json(const Activity& activity);

}  // namespace trawl::profile
