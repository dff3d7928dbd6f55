// Sixteen rays at a time. Whatever the processor, there are 16 lanes, with the same operations in
// the same order: adding, multiplying, dividing and square roots are exact to the last bit by IEEE
// 754, and nothing is contracted to fused operations (see libraries.cmake). So are the pictures.
//
// This file and those that include it are compiled once for each kind of processor (draw_*.cpp), in
// a namespace of that name, RAYTRACER_SIMD. They call no inline function of other headers: of those
// the linker keeps one copy, perhaps the one that not every processor can run.
#pragma once

#include <cstdint>

#include <immintrin.h>

#include "programs/raytracer/scene.hpp"

namespace raytracer::RAYTRACER_SIMD {

#define RAYTRACER_INLINE [[gnu::always_inline]] inline

constexpr int lane_count = 16;

// The registers that 16 lanes take.
#if defined(__AVX512F__)
using Register = __m512;
#elif defined(__AVX2__)
using Register = __m256;
#else
using Register = __m128;
#endif
constexpr int part_lanes = sizeof(Register) / sizeof(float);
constexpr int parts = lane_count / part_lanes;
using FloatPart = float __attribute__((vector_size(sizeof(Register))));
using IntPart = std::int32_t __attribute__((vector_size(sizeof(Register))));

template <class Part, class Element>
struct Lanes {
  Lanes() = default;
  RAYTRACER_INLINE Lanes(Element x) {  // NOLINT(google-explicit-constructor)
    for (int i = 0; i < parts; ++i) part[i] = x - Part{};
  }
  RAYTRACER_INLINE Element operator[](int lane) const {
    return part[lane / part_lanes][lane % part_lanes];
  }

  Part part[parts];
};
using Floats = Lanes<FloatPart, float>;
using Ints = Lanes<IntPart, std::int32_t>;

/// `op(i)` for each part of the result.
template <class Result, class Op>
RAYTRACER_INLINE Result by_parts(Op op) {
  Result result;
  for (int i = 0; i < parts; ++i) result.part[i] = op(i);
  return result;
}

RAYTRACER_INLINE Floats splat(float x) {
  return x;
}
RAYTRACER_INLINE Ints splat(std::int32_t x) {
  return x;
}

#define RAYTRACER_OPERATOR(Type, op)                                      \
  RAYTRACER_INLINE Type operator op(Type a, Type b) {                     \
    return by_parts<Type>([&](int i) { return a.part[i] op b.part[i]; }); \
  }
RAYTRACER_OPERATOR(Floats, +)
RAYTRACER_OPERATOR(Floats, -)
RAYTRACER_OPERATOR(Floats, *)
RAYTRACER_OPERATOR(Floats, /)
RAYTRACER_OPERATOR(Ints, +)
RAYTRACER_OPERATOR(Ints, &)
RAYTRACER_OPERATOR(Ints, >>)
#undef RAYTRACER_OPERATOR

RAYTRACER_INLINE Floats operator-(Floats a) {
  return by_parts<Floats>([&](int i) { return -a.part[i]; });
}
/// Towards zero.
RAYTRACER_INLINE Ints truncated(Floats a) {
  return by_parts<Ints>([&](int i) { return __builtin_convertvector(a.part[i], IntPart); });
}
RAYTRACER_INLINE Floats to_floats(Ints a) {
  return by_parts<Floats>([&](int i) { return __builtin_convertvector(a.part[i], FloatPart); });
}

RAYTRACER_INLINE Register min(Register a, Register b) {
#if defined(__AVX512F__)
  return _mm512_min_ps(a, b);
#elif defined(__AVX2__)
  return _mm256_min_ps(a, b);
#else
  return _mm_min_ps(a, b);
#endif
}
RAYTRACER_INLINE Register max(Register a, Register b) {
#if defined(__AVX512F__)
  return _mm512_max_ps(a, b);
#elif defined(__AVX2__)
  return _mm256_max_ps(a, b);
#else
  return _mm_max_ps(a, b);
#endif
}
RAYTRACER_INLINE Register root(Register a) {
#if defined(__AVX512F__)
  return _mm512_sqrt_ps(a);
#elif defined(__AVX2__)
  return _mm256_sqrt_ps(a);
#else
  return _mm_sqrt_ps(a);
#endif
}
/// `b` where one of the two is not a number.
RAYTRACER_INLINE Floats min(Floats a, Floats b) {
  return by_parts<Floats>([&](int i) { return min(a.part[i], b.part[i]); });
}
RAYTRACER_INLINE Floats max(Floats a, Floats b) {
  return by_parts<Floats>([&](int i) { return max(a.part[i], b.part[i]); });
}
RAYTRACER_INLINE Floats root(Floats a) {
  return by_parts<Floats>([&](int i) { return root(a.part[i]); });
}

#if defined(__AVX512F__)

/// A bit for each lane.
struct Mask {
  __mmask16 m;
};
RAYTRACER_INLINE unsigned bits(Mask a) {
  return a.m;
}
RAYTRACER_INLINE Mask mask_of(unsigned bits) {
  return {static_cast<__mmask16>(bits)};
}
RAYTRACER_INLINE Mask less(Floats a, Floats b) {
  return {_mm512_cmp_ps_mask(a.part[0], b.part[0], _CMP_LT_OQ)};
}
RAYTRACER_INLINE Mask same(Ints a, Ints b) {
  return {_mm512_cmpeq_epi32_mask(reinterpret_cast<__m512i>(a.part[0]),
                                  reinterpret_cast<__m512i>(b.part[0]))};
}
RAYTRACER_INLINE Floats select(Mask m, Floats yes, Floats no) {
  return by_parts<Floats>(
      [&](int i) { return _mm512_mask_blend_ps(m.m, no.part[i], yes.part[i]); });
}
RAYTRACER_INLINE Ints select(Mask m, Ints yes, Ints no) {
  return by_parts<Ints>([&](int i) {
    return reinterpret_cast<IntPart>(_mm512_mask_blend_epi32(
        m.m, reinterpret_cast<__m512i>(no.part[i]), reinterpret_cast<__m512i>(yes.part[i])));
  });
}
RAYTRACER_INLINE Mask operator&(Mask a, Mask b) {
  return mask_of(unsigned{a.m} & b.m);
}
RAYTRACER_INLINE Mask operator|(Mask a, Mask b) {
  return mask_of(unsigned{a.m} | b.m);
}
RAYTRACER_INLINE Mask operator!(Mask a) {
  return mask_of(~unsigned{a.m});
}

#else

/// All bits of a lane, or none.
struct Mask {
  Ints m;
};
RAYTRACER_INLINE unsigned bits(Register a) {
#if defined(__AVX2__)
  return static_cast<unsigned>(_mm256_movemask_ps(a));
#else
  return static_cast<unsigned>(_mm_movemask_ps(a));
#endif
}
RAYTRACER_INLINE unsigned bits(Mask a) {
  unsigned out = 0;
  for (int i = 0; i < parts; ++i)
    out |= bits(reinterpret_cast<Register>(a.m.part[i])) << (i * part_lanes);
  return out;
}
RAYTRACER_INLINE Mask mask_of(unsigned bits) {
  IntPart lane_bit;
  for (int i = 0; i < part_lanes; ++i) lane_bit[i] = 1 << i;
  return {by_parts<Ints>([&](int i) {
    const auto its = static_cast<std::int32_t>(bits >> (i * part_lanes));
    return ((its - IntPart{}) & lane_bit) != 0;
  })};
}
RAYTRACER_INLINE Mask less(Floats a, Floats b) {
  return {by_parts<Ints>([&](int i) { return a.part[i] < b.part[i]; })};
}
RAYTRACER_INLINE Mask same(Ints a, Ints b) {
  return {by_parts<Ints>([&](int i) { return a.part[i] == b.part[i]; })};
}
RAYTRACER_INLINE Ints select(Mask m, Ints yes, Ints no) {
  return by_parts<Ints>(
      [&](int i) { return (m.m.part[i] & yes.part[i]) | (~m.m.part[i] & no.part[i]); });
}
RAYTRACER_INLINE Floats select(Mask m, Floats yes, Floats no) {
#if defined(__AVX2__)
  return by_parts<Floats>([&](int i) {
    return _mm256_blendv_ps(no.part[i], yes.part[i], reinterpret_cast<Register>(m.m.part[i]));
  });
#else
  return by_parts<Floats>([&](int i) {
    const IntPart its = m.m.part[i];
    return reinterpret_cast<FloatPart>((its & reinterpret_cast<IntPart>(yes.part[i])) |
                                       (~its & reinterpret_cast<IntPart>(no.part[i])));
  });
#endif
}
RAYTRACER_INLINE Mask operator&(Mask a, Mask b) {
  return {a.m & b.m};
}
RAYTRACER_INLINE Mask operator|(Mask a, Mask b) {
  return {by_parts<Ints>([&](int i) { return a.m.part[i] | b.m.part[i]; })};
}
RAYTRACER_INLINE Mask operator!(Mask a) {
  return {by_parts<Ints>([&](int i) { return ~a.m.part[i]; })};
}

#endif

RAYTRACER_INLINE bool any(Mask a) {
  return bits(a) != 0;
}
RAYTRACER_INLINE Floats magnitude(Floats a) {
  return max(a, -a);
}

struct Vecs {
  Floats x{};
  Floats y{};
  Floats z{};
};

RAYTRACER_INLINE Vecs operator+(Vecs a, Vecs b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
RAYTRACER_INLINE Vecs operator-(Vecs a, Vecs b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
RAYTRACER_INLINE Vecs operator*(Vecs a, Floats s) {
  return {a.x * s, a.y * s, a.z * s};
}
RAYTRACER_INLINE Vecs operator*(Vecs a, Vecs b) {
  return {a.x * b.x, a.y * b.y, a.z * b.z};
}
RAYTRACER_INLINE Floats dot(Vecs a, Vecs b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
RAYTRACER_INLINE Vecs cross(Vecs a, Vecs b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
RAYTRACER_INLINE Vecs unit(Vecs a) {
  return a * (1.0F / root(dot(a, a)));
}
RAYTRACER_INLINE Vecs select(Mask m, Vecs yes, Vecs no) {
  return {select(m, yes.x, no.x), select(m, yes.y, no.y), select(m, yes.z, no.z)};
}
RAYTRACER_INLINE Vecs splat(const Vec& a) {
  return {splat(a.x), splat(a.y), splat(a.z)};
}
RAYTRACER_INLINE Floats largest(Vecs a) {
  return max(max(magnitude(a.x), magnitude(a.y)), magnitude(a.z));
}

}  // namespace raytracer::RAYTRACER_SIMD
