#pragma once

#include <string>

namespace trawl::profile {

/// Names may hold anything, and a terminal obeys some of that.
std::string printable(const std::string& text);

}  // namespace trawl::profile
