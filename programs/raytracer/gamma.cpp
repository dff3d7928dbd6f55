#include "programs/raytracer/gamma.hpp"

#include <array>

namespace raytracer {
namespace {

// A value's sRGB changes to the next where the light is that of the value and a half.
constexpr auto make_table() {
  std::array<std::uint8_t, gamma_steps + 1> srgb{};
  int value = 0;
  double change = 0;
  for (int i = 0; i <= gamma_steps; ++i) {
    const double light = static_cast<double>(i) / gamma_steps;
    while (value < 255) {
      const double half = (value + 0.5) / 255;
      change = half <= 0.04045 ? half / 12.92 : __builtin_pow((half + 0.055) / 1.055, 2.4);
      if (light < change) break;
      ++value;
    }
    srgb[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(value);
  }
  return srgb;
}

constexpr auto table = make_table();

}  // namespace

const std::uint8_t* const gamma_table = table.data();

}  // namespace raytracer
