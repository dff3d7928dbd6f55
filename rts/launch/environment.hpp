// What trawl-run was told by its environment.
#pragma once

#include <cstdlib>
#include <string>

namespace trawl::launch {

/// Empty: there is none.
inline std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace trawl::launch
