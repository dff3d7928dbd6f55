// Tiles of a picture.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "programs/raytracer/scene.hpp"

namespace raytracer {

/// Which instructions are used; all give the same picture.
enum class Simd : std::uint8_t { best, portable, avx2, avx512 };

/// Is it something that this processor can run?
bool can_run(Simd simd);

/// How a picture is drawn.
struct Settings {
  std::int32_t width = 0;    ///< pixels
  std::int32_t height = 0;   ///< pixels
  std::int32_t samples = 1;  ///< a pixel has samples x samples rays
  std::int32_t depth = 8;    ///< how often a ray may be reflected or refracted; at most 32
  Simd simd = Simd::best;
};

/// Part of a picture.
struct Tile {
  std::int32_t x = 0;
  std::int32_t y = 0;
  std::int32_t width = 0;
  std::int32_t height = 0;
};

/// The tiles of a picture, from the upper left. Their sides are `size`, a multiple of 4, or less at
/// the edges.
std::vector<Tile> tiles_of(const Settings& settings, std::int32_t size);

/// Rows of red, green, blue.
using Pixels = std::vector<std::uint8_t>;

Pixels draw_tile(const Scene& scene, const Settings& settings, const Tile& tile);

}  // namespace raytracer
