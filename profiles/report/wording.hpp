// How numbers are said.
#pragma once

#include <array>
#include <cstddef>
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

inline std::string bytes(double number) {
  std::size_t unit = 0;
  constexpr std::array<std::string_view, 5> units{"B", "kB", "MB", "GB", "TB"};
  for (; number >= 999.5 && unit + 1 < units.size(); ++unit) number /= 1000;
  return fmt::format("{:.{}f} {}", number, unit == 0 || number >= 99.95 ? 0 : 1, units[unit]);
}

inline std::string counted(std::uint64_t number, std::string_view what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

}  // namespace trawl::profile
