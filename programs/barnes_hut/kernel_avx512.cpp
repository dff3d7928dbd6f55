// The force loops for AVX-512.
#if defined(__x86_64__)
#include <immintrin.h>

#include "programs/barnes_hut/kernels.hpp"

// All library headers come before this: what they define stays as it is.
#include <algorithm>
#include <array>
#include <cmath>

#pragma GCC target("avx512f,avx512dq,avx512vl,avx2,fma,bmi")
#include "programs/barnes_hut/walk.hpp"

namespace bh {
namespace {

struct Avx512 {
  using Vector = __m512;
  static constexpr std::size_t width = 16;
  // With the masked forms g++ 12 does not warn of its own headers.
  static constexpr __mmask16 all = 0xffff;

  static Vector load(const float* from) { return _mm512_loadu_ps(from); }
  static Vector broadcast(float value) { return _mm512_set1_ps(value); }
  static Vector twice_inverse_root(Vector x) {
    const Vector y = _mm512_maskz_rsqrt14_ps(all, x);
    return y * (3 - x * (y * y));  // one step of Newton's
  }
  static Vector zero_where_zero(Vector where, Vector value) {
    return _mm512_maskz_mov_ps(
        _mm512_test_epi32_mask(_mm512_castps_si512(where), _mm512_castps_si512(where)), value);
  }

  // Relative to the group's centre, and how far beyond its box.
  static __m256 relative(const double* from, double centre) {
    return _mm512_maskz_cvtpd_ps(all & 0xff, _mm512_loadu_pd(from) - centre);
  }
  static __m256 beyond(__m256 x, float half) {
    const __m256 size = _mm256_andnot_ps(_mm256_set1_ps(-0.F), x);
    return _mm256_max_ps(size - half, _mm256_setzero_ps());
  }

  static unsigned append_taken(const Octet& octet, const OctetQuadrupoles* quadrupoles,
                               const Group& group, List& list) {
    const __m256 x = relative(octet.x.data(), group.x);
    const __m256 y = relative(octet.y.data(), group.y);
    const __m256 z = relative(octet.z.data(), group.z);
    const __m256 dx = beyond(x, group.dx);
    const __m256 dy = beyond(y, group.dy);
    const __m256 dz = beyond(z, group.dz);
    const unsigned used = (1U << octet.cells) - 1;
    const unsigned taken =
        used & _mm256_cmp_ps_mask(dx * dx + dy * dy + dz * dz,
                                  _mm256_loadu_ps(octet.opening2.data()), _CMP_GT_OQ);
    const auto mask = static_cast<__mmask8>(taken);
    const auto append = [&](std::size_t field, __m256 values) {
      _mm256_storeu_ps(list.end(field), _mm256_maskz_compress_ps(mask, values));
    };
    append(field_x, x);
    append(field_y, y);
    append(field_z, z);
    append(field_mass, _mm256_loadu_ps(octet.mass.data()));
    if (quadrupoles != nullptr)
      for (std::size_t i = 0; i < 6; ++i)
        append(field_quadrupole + i, _mm256_loadu_ps((*quadrupoles)[i].data()));
    list.add(static_cast<std::size_t>(__builtin_popcount(taken)));
    return used & ~taken;
  }

  static void append_bodies(const Places& from, std::size_t begin, const Group& group, List& list) {
    _mm256_storeu_ps(list.end(field_x), relative(from.x + begin, group.x));
    _mm256_storeu_ps(list.end(field_y), relative(from.y + begin, group.y));
    _mm256_storeu_ps(list.end(field_z), relative(from.z + begin, group.z));
    _mm256_storeu_ps(list.end(field_mass), relative(from.mass + begin, 0));
  }
};

}  // namespace

Forces forces_avx512(const View& view, const Places& bodies, std::size_t group,
                     const Settings& settings) {
  return forces_by<Avx512>(view, bodies, group, settings);
}

}  // namespace bh
#endif
