// What the parts of the picture have in common: colours and sizes, in pixels.
#pragma once

#include "profiles/canvas.hpp"

namespace trawl::profile {

constexpr Colour ink = grey(0.1);
constexpr Colour pale_ink = grey(0.45);
constexpr Colour rule = grey(0.75);
constexpr Colour faint_rule = grey(0.9);

constexpr double margin = 24;
constexpr double small_text = 11;
constexpr double normal_text = 12;

/// The coloured box of a legend; `y` is the base line of the text beside it.
inline void swatch(Canvas& canvas, double x, double y, Colour colour) {
  canvas.rectangle(x, y - 10, 18, 12, colour);
  canvas.frame(x, y - 10, 18, 12, grey(0.6));
}

}  // namespace trawl::profile
