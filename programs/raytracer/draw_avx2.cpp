// For processors with AVX2.
#include <cstdint>

#define RAYTRACER_SIMD avx2
#include "programs/raytracer/draw_block.hpp"

void raytracer::avx2::draw_block(const View& view, std::int32_t x, std::int32_t y,
                                 std::uint8_t* rgb) {
  draw(view, x, y, rgb);
}
