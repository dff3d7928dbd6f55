// What trawl-run was told by its environment.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace trawl::launch {

/// The runtime's flags that are set there, for PEs that do not inherit it: all TRAWL_ variables but
/// those that trawl-run sets for each PE itself.
std::vector<std::pair<std::string, std::string>> flags_to_pass_on();

}  // namespace trawl::launch
