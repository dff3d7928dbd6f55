// For any processor of this architecture.
#include <cstdint>

#define RAYTRACER_SIMD portable
#include "programs/raytracer/draw_block.hpp"

void raytracer::portable::draw_block(const View& view, std::int32_t x, std::int32_t y,
                                     std::uint8_t* rgb) {
  draw(view, x, y, rgb);
}
