// Two runs beside each other: what changed from one to the other.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace trawl::profile {

/// Numbers of both, each with what it became: `quantities` of the whole runs, and `functions`,
/// those first whose threads ran for another time by most. The summaries are those of
/// `trawl-profile
/// --json`; what one of them does not know is null.
nlohmann::json beside(const nlohmann::json& first, const nlohmann::json& second);

/// The same for a terminal. The names are what the runs are to be called.
std::string beside_table(const nlohmann::json& beside, const std::string& first,
                         const std::string& second);

}  // namespace trawl::profile
