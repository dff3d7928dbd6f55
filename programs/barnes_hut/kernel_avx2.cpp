// The force loops for AVX2 with FMA.
#if defined(__x86_64__)
#include <immintrin.h>

#include "programs/barnes_hut/kernels.hpp"

// All library headers come before this: what they define stays as it is.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#pragma GCC target("avx2,fma")
#include "programs/barnes_hut/eights.hpp"

namespace bh {
namespace {

/// Of each mask, the lanes that it takes, in their order.
constexpr auto lanes_taken = [] {
  std::array<std::array<std::int32_t, 8>, 256> all{};
  for (std::size_t mask = 0; mask < all.size(); ++mask) {
    std::size_t count = 0;
    for (std::int32_t lane = 0; lane < 8; ++lane)
      if ((mask >> static_cast<unsigned>(lane) & 1U) != 0) all[mask][count++] = lane;
  }
  return all;
}();

struct Avx2 : Eights<Avx2> {
  using Vector = __m256;
  static constexpr std::size_t width = 8;

  static Vector load(const float* from) { return _mm256_loadu_ps(from); }
  static Vector broadcast(float value) { return _mm256_set1_ps(value); }
  static Vector twice_inverse_root(Vector x) {
    const Vector y = _mm256_rsqrt_ps(x);
    return y * (3 - x * (y * y));  // one step of Newton's
  }
  static Vector zero_where_zero(Vector where, Vector value) {
    return _mm256_andnot_ps(_mm256_cmp_ps(where, _mm256_setzero_ps(), _CMP_EQ_OQ), value);
  }

  static __m256 relative(const double* from, double centre) {
    const __m128 low = _mm256_cvtpd_ps(_mm256_loadu_pd(from) - centre);
    return _mm256_set_m128(_mm256_cvtpd_ps(_mm256_loadu_pd(from + 4) - centre), low);
  }
  static __m256 compressed(unsigned taken, __m256 values) {
    const void* lanes = lanes_taken[taken].data();
    return _mm256_permutevar8x32_ps(values, _mm256_loadu_si256(static_cast<const __m256i*>(lanes)));
  }
};

}  // namespace

Forces forces_avx2(const View& view, const Places& bodies, std::size_t group,
                   const Settings& settings) {
  return forces_by<Avx2>(view, bodies, group, settings);
}

}  // namespace bh
#endif
