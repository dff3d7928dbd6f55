#include "programs/galaxy/frames.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace galaxy {

programs::Picture frame(const std::vector<Star>& stars, std::size_t pixels) {
  const double side = static_cast<double>(pixels);
  std::vector<float> mass(pixels * pixels);
  for (const auto& s : stars) {
    const double column = (s.at.x / (1.5 * radius) + 1) / 2 * side;
    const double row = (1 - s.at.y / (1.5 * radius)) / 2 * side;
    if (column < 0 || row < 0 || column >= side || row >= side) continue;
    mass[static_cast<std::size_t>(row) * pixels + static_cast<std::size_t>(column)] += s.mass;
  }
  // A star alone can just be seen; the brightest pixel of a galaxy at rest is white.
  const double range =
      std::log1p(std::max(8.0, 100 * static_cast<double>(stars.size()) / (side * side)));
  programs::Picture picture{static_cast<int>(pixels), static_cast<int>(pixels), {}};
  picture.rgb.reserve(3 * mass.size());
  for (const double m : mass) {
    const double light = std::min(1.0, std::log1p(m) / range);
    for (const double power : {0.8, 1.0, 0.6})  // bluish
      picture.rgb.push_back(static_cast<std::uint8_t>(std::lround(255 * std::pow(light, power))));
  }
  return picture;
}

}  // namespace galaxy
