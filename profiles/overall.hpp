// The overall profile: running, runnable and blocked threads of all PEs over time, stacked.
#pragma once

#include "profiles/activity.hpp"
#include "profiles/axis.hpp"
#include "profiles/canvas.hpp"

namespace trawl::profile {

/// Pixels from its `top` to the end of its axis' name.
inline constexpr double overall_height = 190;

/// Its legend is above `top`.
void draw_overall(Canvas& canvas, const Activity& activity, const TimeAxis& axis, double top);

}  // namespace trawl::profile
