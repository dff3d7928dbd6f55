// How numbers are said.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "profiles/axis.hpp"

namespace trawl::profile {

inline std::string time(double seconds) {
  return duration(seconds * 1e9);
}

inline std::string percent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

inline std::string counted(std::uint64_t number, std::string_view what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

}  // namespace trawl::profile
