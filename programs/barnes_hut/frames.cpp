#include "programs/barnes_hut/frames.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace bh {
namespace {

// From the night sky over blue and orange to white.
std::array<std::uint8_t, 3> colour(double brightness) {
  constexpr std::array<std::array<double, 3>, 5> stops{
      {{5, 6, 15}, {40, 50, 130}, {190, 90, 110}, {255, 190, 90}, {255, 255, 245}}};
  const double at = std::clamp(brightness, 0.0, 1.0) * (stops.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(at), stops.size() - 2);
  std::array<std::uint8_t, 3> rgb{};
  for (std::size_t i = 0; i < 3; ++i)
    rgb[i] = static_cast<std::uint8_t>(std::lround(
        std::lerp(stops[below][i], stops[below + 1][i], at - static_cast<double>(below))));
  return rgb;
}

}  // namespace

double view_of(std::span<const Body> bodies) {
  std::vector<double> distances;
  for (const auto& b : bodies)
    distances.push_back(std::max(std::abs(b.position.x), std::abs(b.position.y)));
  const auto most = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() * 9 / 10);
  std::nth_element(distances.begin(), most, distances.end());
  return *most > 0 ? 1.25 * *most : 1;
}

programs::Picture frame(std::span<const Body> bodies, double view, int pixels) {
  const auto side = static_cast<std::size_t>(pixels);
  std::vector<double> density(side * side);
  double mass = 0;
  for (const auto& b : bodies) {
    mass += b.mass;
    const double column = (b.position.x / view + 1) / 2 * pixels;
    const double row = (1 - b.position.y / view) / 2 * pixels;
    if (column < 0 || row < 0 || column >= pixels || row >= pixels) continue;
    density[static_cast<std::size_t>(row) * side + static_cast<std::size_t>(column)] += b.mass;
  }
  // A body alone can just be seen; the full brightness is a thousandth of all in a pixel.
  const double one = mass > 0 ? mass / static_cast<double>(bodies.size()) : 1;
  const double range = std::log1p(std::max(8.0, static_cast<double>(bodies.size()) / 1000));
  programs::Picture picture{pixels, pixels, {}};
  picture.rgb.reserve(3 * density.size());
  for (const double d : density)
    for (const auto value : colour(std::log1p(d / one) / range)) picture.rgb.push_back(value);
  return picture;
}

}  // namespace bh
