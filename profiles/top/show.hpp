// A sample of a run as text and as JSON.
#pragma once

#include <cstddef>
#include <string>

#include <nlohmann/json.hpp>

#include "profiles/top/sample.hpp"

namespace trawl::top {

inline constexpr std::size_t unbounded = static_cast<std::size_t>(-1);

/// Lines of at most `width` characters, at most `height` of them: columns that do not fit are left
/// out, and many PEs are taken together by clusters.
std::string table(const Sample& sample, std::size_t width, std::size_t height);
nlohmann::json to_json(const Sample& sample);

/// 4 characters at most, as 52k.
std::string short_number(double number);

}  // namespace trawl::top
