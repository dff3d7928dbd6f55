// Names may hold anything; where each byte has to take one place, the rest shows as '?'.
#pragma once

#include <string>
#include <string_view>

namespace trawl::profile {

inline std::string ascii(std::string_view text) {
  std::string plain(text);
  for (char& c : plain)
    if (c < ' ' || c > '~') c = '?';
  return plain;
}

}  // namespace trawl::profile
