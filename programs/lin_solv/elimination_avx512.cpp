// Elimination for processors with AVX-512 IFMA: a multiply-add of 52 bits in each of 8 lanes.
// Compiled for them, so nothing of the standard library may be used here.
#if defined(__x86_64__)
#include <immintrin.h>

#include "programs/lin_solv/elimination.hpp"

namespace lin_solv {
namespace {

class Avx512 {
 public:
  using Vector = __m512i;

  explicit Avx512(const Field& field)
      : prime_(broadcast(field.prime())), inverse_(broadcast(field.inverse())) {}

  static Vector load(const Word* from) { return _mm512_load_si512(from); }
  static void store(Word* to, Vector v) { _mm512_store_si512(to, v); }
  static Vector broadcast(Word a) { return _mm512_set1_epi64(static_cast<long long>(a)); }

  Vector multiply(Vector a, Vector b) const {
    const Vector zero = _mm512_setzero_si512();
    return canonical(shift(_mm512_madd52lo_epu64(zero, a, b), _mm512_madd52hi_epu64(zero, a, b)));
  }
  // Negative numbers are large when taken as unsigned.
  Vector canonical(Vector a) const { return _mm512_min_epu64(a, _mm512_add_epi64(a, prime_)); }
  Vector subtract(Vector a, Vector b) const { return canonical(_mm512_sub_epi64(a, b)); }

  template <bool Keep>
  void subtract_products(Word* into, const Word* left, std::size_t left_step, const Word* right,
                         std::size_t count) const {
    Vector result[lanes];
    for (std::size_t row = 0; row < lanes; ++row)
      result[row] = Keep ? load(into + row * lanes) : _mm512_setzero_si512();
    while (count > 0) {
      const std::size_t some = count < most_blocks ? count : most_blocks;
      subtract_sums(result, left, left_step, right, some);
      left += some * left_step;
      right += some * block;
      count -= some;
    }
    for (std::size_t row = 0; row < lanes; ++row) store(into + row * lanes, result[row]);
  }

 private:
  static constexpr std::size_t most_blocks = 256;  // so that both sums of halves fit 63 bits

  [[gnu::always_inline]] void subtract_sums(Vector* result, const Word* left, std::size_t left_step,
                                            const Word* right, std::size_t count) const {
    Vector low[lanes], high[lanes];
    for (std::size_t row = 0; row < lanes; ++row) low[row] = high[row] = _mm512_setzero_si512();
    for (std::size_t k = 0; k < count; ++k, left += left_step)
      for (std::size_t l = 0; l < lanes; ++l, right += lanes) {
        const Vector b = load(right);
#pragma GCC unroll 8
        for (std::size_t row = 0; row < lanes; ++row) {
          const Vector a = broadcast(left[row * lanes + l]);
          low[row] = _mm512_madd52lo_epu64(low[row], a, b);
          high[row] = _mm512_madd52hi_epu64(high[row], a, b);
        }
      }
    for (std::size_t row = 0; row < lanes; ++row)
      result[row] = subtract(result[row], reduce(low[row], high[row]));
  }

  // (low + high R) / R^2.
  Vector reduce(Vector low, Vector high) const {
    high = _mm512_add_epi64(high, _mm512_srli_epi64(low, word_bits));
    const Vector once = _mm512_add_epi64(shift(low, high), prime_);
    return canonical(shift(once, _mm512_srli_epi64(once, word_bits)));
  }

  // (low mod R + high R) / R, plus a multiple of the prime, more than -prime. The low parts of the
  // product and of what is taken off are equal and cancel.
  Vector shift(Vector low, Vector high) const {
    const Vector zero = _mm512_setzero_si512();
    const Vector by_prime = _mm512_madd52lo_epu64(zero, low, inverse_);
    return _mm512_sub_epi64(high, _mm512_madd52hi_epu64(zero, by_prime, prime_));
  }

  Vector prime_;
  Vector inverse_;
};

}  // namespace

Word eliminate_avx512(const Field& field, Grid grid) {
  return Elimination<Avx512>(field, grid).run();
}

}  // namespace lin_solv

#endif
