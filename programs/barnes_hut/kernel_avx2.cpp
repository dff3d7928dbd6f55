// The force loops for AVX2 with FMA.
#if defined(__x86_64__)
#include <immintrin.h>

#include "programs/barnes_hut/kernels.hpp"

// All library headers come before this: what they define stays as it is.
#include <algorithm>
#include <array>
#include <cmath>

#pragma GCC target("avx2,fma")
#include "programs/barnes_hut/walk.hpp"

namespace bh {
namespace {

struct Avx2 : OneByOne {
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
};

}  // namespace

Forces forces_avx2(const View& view, const Places& bodies, std::size_t group,
                   const Settings& settings) {
  return forces_by<Avx2>(view, bodies, group, settings);
}

}  // namespace bh
#endif
