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

Distances distances_of(const Bodies& bodies, std::uint64_t count) {
  constexpr std::uint64_t sample = 10'000;
  const auto stride = static_cast<std::uint32_t>(std::max<std::uint64_t>(count / sample, 1));
  Distances distances;
  for (const auto& b : bodies)
    if (b.place % stride == 0)
      distances.push_back(std::max(std::abs(b.position.x), std::abs(b.position.y)));
  return distances;
}

Distances both(const Distances& a, const Distances& b) {
  Distances all = a;
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

double view_of(Distances distances) {
  const auto most = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() * 9 / 10);
  std::nth_element(distances.begin(), most, distances.end());
  return *most > 0 ? 1.25 * *most : 1;
}

Density density_of(const Bodies& bodies, double view, int pixels) {
  const auto side = static_cast<std::size_t>(pixels);
  Density density{std::vector<double>(side * side), 0, bodies.size()};
  for (const auto& b : bodies) {
    density.mass += b.mass;
    const double column = (b.position.x / view + 1) / 2 * pixels;
    const double row = (1 - b.position.y / view) / 2 * pixels;
    if (column < 0 || row < 0 || column >= pixels || row >= pixels) continue;
    density.cells[static_cast<std::size_t>(row) * side + static_cast<std::size_t>(column)] +=
        b.mass;
  }
  return density;
}

Density overlaid(const Density& a, const Density& b) {
  Density both{a.cells, a.mass + b.mass, a.bodies + b.bodies};
  for (std::size_t i = 0; i < both.cells.size(); ++i) both.cells[i] += b.cells[i];
  return both;
}

programs::Picture frame(const Density& density, int pixels) {
  // A body alone can just be seen; the full brightness is a thousandth of all in a pixel.
  const auto bodies = static_cast<double>(density.bodies);
  const double one = density.mass > 0 ? density.mass / bodies : 1;
  const double range = std::log1p(std::max(8.0, bodies / 1000));
  programs::Picture picture{pixels, pixels, {}};
  picture.rgb.reserve(3 * density.cells.size());
  for (const double d : density.cells)
    for (const auto value : colour(std::log1p(d / one) / range)) picture.rgb.push_back(value);
  return picture;
}

}  // namespace bh
