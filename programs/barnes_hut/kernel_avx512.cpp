// The force loops for AVX-512.
#if defined(__x86_64__)
#include <immintrin.h>

#include "programs/barnes_hut/kernels.hpp"

// All library headers come before this: what they define stays as it is.
#include <algorithm>
#include <array>
#include <cmath>

#pragma GCC target("avx512f,avx512dq,avx512vl,avx2,fma,bmi")
#include "programs/barnes_hut/eights.hpp"

namespace bh {
namespace {

struct Avx512 : Eights<Avx512> {
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

  static __m256 relative(const double* from, double centre) {
    return _mm512_maskz_cvtpd_ps(all & 0xff, _mm512_loadu_pd(from) - centre);
  }
  static __m256 compressed(unsigned taken, __m256 values) {
    return _mm256_maskz_compress_ps(static_cast<__mmask8>(taken), values);
  }
};

}  // namespace

Forces forces_avx512(const View& view, const Places& bodies, std::size_t group,
                     const Settings& settings) {
  return forces_by<Avx512>(view, bodies, group, settings);
}

}  // namespace bh
#endif
