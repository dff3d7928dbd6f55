// For processors with AVX-512.
#include <cstdint>

#define RAYTRACER_SIMD avx512
#include "programs/raytracer/draw_block.hpp"

void raytracer::avx512::draw_block(const View& view, std::int32_t x, std::int32_t y,
                                   std::uint8_t* rgb) {
  draw(view, x, y, rgb);
}
