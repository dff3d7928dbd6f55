// From light to what a screen is told (sRGB, IEC 61966-2-1), by a table that the compiler makes:
// the same on all processors.
#pragma once

#include <cstdint>

namespace raytracer {

inline constexpr std::int32_t gamma_steps = 16384;

/// sRGB of light = index / gamma_steps.
extern const std::uint8_t* const gamma_table;

}  // namespace raytracer
