#include "programs/raytracer/render.hpp"

#include <algorithm>

#include "programs/raytracer/view.hpp"

namespace raytracer {
namespace {

View view_of(const Scene& scene, const Settings& settings) {
  return {scene.nodes.data(),
          scene.surfaces.data(),
          scene.corners.data(),
          scene.planes.data(),
          scene.lights.data(),
          scene.materials.data(),
          static_cast<std::int32_t>(scene.nodes.size()),
          static_cast<std::int32_t>(scene.planes.size()),
          static_cast<std::int32_t>(scene.lights.size()),
          scene.camera,
          scene.sky[0],
          scene.sky[1],
          scene.ambient,
          settings.width,
          settings.height,
          settings.samples,
          settings.depth};
}

DrawBlock code_for(Simd simd) {
  if (simd == Simd::avx512 || (simd == Simd::best && can_run(Simd::avx512)))
    return avx512::draw_block;
  if (simd == Simd::avx2 || (simd == Simd::best && can_run(Simd::avx2))) return avx2::draw_block;
  return portable::draw_block;
}

}  // namespace

bool can_run(Simd simd) {
  if (simd == Simd::avx2) return __builtin_cpu_supports("avx2") != 0;
  if (simd == Simd::avx512)
    return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
           __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0;
  return true;
}

std::vector<Tile> tiles_of(const Settings& settings, std::int32_t size) {
  std::vector<Tile> tiles;
  for (std::int32_t y = 0; y < settings.height; y += size)
    for (std::int32_t x = 0; x < settings.width; x += size)
      tiles.push_back(
          {x, y, std::min(size, settings.width - x), std::min(size, settings.height - y)});
  return tiles;
}

Pixels draw_tile(const Scene& scene, const Settings& settings, const Tile& tile) {
  const View view = view_of(scene, settings);
  const DrawBlock draw_block = code_for(settings.simd);
  const auto row_bytes = static_cast<std::size_t>(tile.width) * 3;
  Pixels pixels(row_bytes * static_cast<std::size_t>(tile.height));
  std::array<std::uint8_t, 3 * block * block> drawn{};
  for (std::int32_t y = 0; y < tile.height; y += block) {
    for (std::int32_t x = 0; x < tile.width; x += block) {
      draw_block(view, tile.x + x, tile.y + y, drawn.data());
      const auto used = static_cast<std::size_t>(std::min(block, tile.width - x)) * 3;
      for (std::int32_t row = 0; row < std::min(block, tile.height - y); ++row)
        std::copy_n(drawn.data() + 3 * block * row, used,
                    pixels.data() + static_cast<std::size_t>(y + row) * row_bytes +
                        static_cast<std::size_t>(x) * 3);
    }
  }
  return pixels;
}

}  // namespace raytracer
