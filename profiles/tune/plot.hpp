// How much each level of each flag matters, drawn: a row each, with its interval.
#pragma once

#include <string>

#include "profiles/tune/result.hpp"

namespace tune {

/// An SVG if `file` ends in .svg, else a PNG. Throws Error (exit code 2).
void draw(const Result& result, const std::string& file);

}  // namespace tune
