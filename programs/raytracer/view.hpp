// A scene as the rays see it, and the entries to the code for each kind of processor.
#pragma once

#include <cstdint>

#include "programs/raytracer/scene.hpp"

namespace raytracer {

/// Arrays of a scene, and how it is to be drawn.
struct View {
  const Node* nodes;
  const Surface* surfaces;
  const Corners* corners;
  const Plane* planes;
  const Light* lights;
  const Material* materials;
  std::int32_t node_count;
  std::int32_t plane_count;
  std::int32_t light_count;
  Camera camera;
  Vec horizon;
  Vec zenith;
  Vec ambient;
  std::int32_t width;
  std::int32_t height;
  std::int32_t samples;  ///< a pixel has samples x samples rays
  std::int32_t depth;    ///< how often a ray may be reflected or refracted
};

/// The most that `depth` may be.
inline constexpr std::int32_t most_depth = 32;

/// Pixels are drawn in blocks of block x block, aligned to the picture: a ray of each in a lane.
inline constexpr std::int32_t block = 4;

/// Draws a block whose upper left pixel is (x, y): red, green and blue for each of its pixels,
/// those outside of the picture included.
using DrawBlock = void (*)(const View& view, std::int32_t x, std::int32_t y, std::uint8_t* rgb);

namespace portable {
void draw_block(const View& view, std::int32_t x, std::int32_t y, std::uint8_t* rgb);
}
namespace avx2 {
void draw_block(const View& view, std::int32_t x, std::int32_t y, std::uint8_t* rgb);
}
namespace avx512 {
void draw_block(const View& view, std::int32_t x, std::int32_t y, std::uint8_t* rgb);
}

}  // namespace raytracer
