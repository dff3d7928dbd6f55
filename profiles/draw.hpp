// The picture of a run: the per-PE activity profile (the Grid-GUM2 paper, section 4) and, below it,
// the overall profile.
#pragma once

#include <string>

#include "profiles/activity.hpp"

namespace trawl::profile {

inline constexpr int min_width = 400;
inline constexpr int max_width = 16000;

/// Both draw one column a bin, so `activity` has min_width to max_width bins. Throw Error (exit
/// code 2) when the file can't be written.
void draw_png(const Activity& activity, const std::string& path);
void draw_svg(const Activity& activity, const std::string& path);

}  // namespace trawl::profile
