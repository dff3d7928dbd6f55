// How numbers are said.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "profiles/axis.hpp"
#include "profiles/report/facts.hpp"

namespace trawl::profile {

/// s: a thread this short takes longer to make than it is worth.
inline constexpr double fine = 20e-6;

inline std::string time(double seconds) {
  return duration(seconds * 1e9);
}

inline std::string percent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

inline std::string counted(std::uint64_t number, std::string_view what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

/// Nothing was written of what ran.
inline bool is_unknown(const Facts& facts) {
  return facts.threads == 0 && facts.lost_logs > 0;
}

}  // namespace trawl::profile
