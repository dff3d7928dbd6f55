// The report as one page of HTML.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "profiles/fishing.hpp"
#include "profiles/granularity.hpp"
#include "profiles/read.hpp"
#include "profiles/report/report.hpp"

namespace trawl::profile {

/// Writes a page that needs nothing but itself. Throws Error (exit code 2) when `path` can't be
/// written.
void write_page(const Run& run, const Report& report, const Fishing& fishing,
                const Granularity& granularity, const std::string& path);

/// As it stands in the page: whatever strings it has, none ends the script that it is in.
std::string embedded(const nlohmann::json& data);

}  // namespace trawl::profile
