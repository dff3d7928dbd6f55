// The names of a program's codes beside its event logs: a line each, in the order of their ids.
#pragma once

#include <cstddef>

namespace trawl::trace {

inline constexpr const char* codes_file = "codes.txt";
inline constexpr std::size_t longest_codes = std::size_t{1} << 22U;  ///< bytes

}  // namespace trawl::trace
