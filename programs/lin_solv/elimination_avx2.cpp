// Elimination for processors with AVX2 and FMA, which multiply no integers of 52 bits: the halves
// of a product come from floating-point multiply-adds, that round down. Compiled for them, so
// nothing of the standard library may be used here.
#if defined(__x86_64__)
#include <immintrin.h>

#include "programs/lin_solv/elimination.hpp"

namespace lin_solv {
namespace {

constexpr double two_52 = 4503599627370496.0;
constexpr double two_104 = two_52 * two_52;

/// Numbers of 4 lanes, below 2^52, as integers or as what they are in floating point.
using Integers = __m256i;
using Reals = __m256d;

Integers bits(Reals a) {
  return _mm256_castpd_si256(a);
}

/// The bits of a number, so many times modulo 2^64.
Integers times(Word count, double a) {
  const auto once = static_cast<Word>(bits(_mm256_set1_pd(a))[0]);
  return _mm256_set1_epi64x(static_cast<long long>(count * once));
}

Reals real(Integers a) {
  const Reals above = _mm256_or_pd(_mm256_castsi256_pd(a), _mm256_set1_pd(two_52));
  return _mm256_sub_pd(above, _mm256_set1_pd(two_52));
}

// a b is high R + low. Rounded down, 2^104 + a b is 2^104 + high R; what remains is below R, and
// exact. Both come as the bits of numbers to which 2^104 and 2^52 have been added.

Reals rounded_product(Reals a, Reals b) {
  return _mm256_fmadd_pd(a, b, _mm256_set1_pd(two_104));
}
Integers low_part(Reals a, Reals b, Reals rounded) {
  const Reals without = _mm256_sub_pd(_mm256_set1_pd(two_104 + two_52), rounded);
  return bits(_mm256_fmadd_pd(a, b, without));
}

class Avx2 {
 public:
  struct Vector {
    Integers half[2];
  };

  explicit Avx2(const Field& field)
      : prime_(_mm256_set1_epi64x(static_cast<long long>(field.prime()))),
        real_prime_(real(prime_)),
        real_inverse_(real(_mm256_set1_epi64x(static_cast<long long>(field.inverse())))) {}

  static Vector load(const Word* from) {
    const auto* const at = reinterpret_cast<const Integers*>(from);
    return {{_mm256_load_si256(at), _mm256_load_si256(at + 1)}};
  }
  static void store(Word* to, const Vector& v) {
    auto* const at = reinterpret_cast<Integers*>(to);
    _mm256_store_si256(at, v.half[0]);
    _mm256_store_si256(at + 1, v.half[1]);
  }
  static Vector broadcast(Word a) {
    const Integers four = _mm256_set1_epi64x(static_cast<long long>(a));
    return {{four, four}};
  }

  Vector multiply(const Vector& a, const Vector& b) const {
    return {{multiply(a.half[0], b.half[0]), multiply(a.half[1], b.half[1])}};
  }
  Vector canonical(const Vector& a) const { return {{canonical(a.half[0]), canonical(a.half[1])}}; }
  Vector subtract(const Vector& a, const Vector& b) const {
    return {{subtract(a.half[0], b.half[0]), subtract(a.half[1], b.half[1])}};
  }

  template <bool Keep>
  void subtract_products(Word* into, const Word* left, std::size_t left_step, const Word* right,
                         std::size_t count) const {
    alignas(64) Word result[block];
    for (std::size_t i = 0; i < block; ++i) result[i] = Keep ? into[i] : 0;
    alignas(64) double rows[lanes][most], some_right[most * lanes];
    while (count > 0) {
      const std::size_t some = count < most_blocks ? count : most_blocks;
      for (std::size_t k = 0; k < some; ++k, left += left_step)
        for (std::size_t row = 0; row < lanes; ++row)
          write_reals(left + row * lanes, rows[row] + k * lanes, lanes);
      write_reals(right, some_right, some * block);
      right += some * block;
      for (std::size_t row = 0; row < lanes; row += 4)
        for (std::size_t column = 0; column < lanes; column += 4)
          subtract_sums(result + row * lanes + column, rows + row, some_right + column,
                        some * lanes);
      count -= some;
    }
    for (std::size_t i = 0; i < block; ++i) into[i] = result[i];
  }

 private:
  static constexpr std::size_t most_blocks = 16;  // that lie in the nearest cache
  static constexpr std::size_t most = most_blocks * lanes;

  static void write_reals(const Word* from, double* to, std::size_t count) {
    for (std::size_t i = 0; i < count; i += 4)
      _mm256_store_pd(to + i, real(_mm256_load_si256(reinterpret_cast<const Integers*>(from + i))));
  }

  /// Of products, and what was added to each.
  struct Sum {
    Integers high = _mm256_setzero_si256(), low = _mm256_setzero_si256();

    void add(Reals a, Reals b) {
      const Reals rounded = rounded_product(a, b);
      high = _mm256_add_epi64(high, bits(rounded));
      low = _mm256_add_epi64(low, low_part(a, b, rounded));
    }
  };

  // Of four rows: so many sums are in registers.
  void subtract_sums(Word* result, const double (*rows)[most], const double* right,
                     std::size_t count) const {
    Sum a, b, c, d;
    for (std::size_t i = 0; i < count; ++i, right += lanes) {
      const Reals four = _mm256_load_pd(right);
      a.add(_mm256_broadcast_sd(rows[0] + i), four);
      b.add(_mm256_broadcast_sd(rows[1] + i), four);
      c.add(_mm256_broadcast_sd(rows[2] + i), four);
      d.add(_mm256_broadcast_sd(rows[3] + i), four);
    }
    subtract_sum(result, a, count);
    subtract_sum(result + lanes, b, count);
    subtract_sum(result + 2 * lanes, c, count);
    subtract_sum(result + 3 * lanes, d, count);
  }

  void subtract_sum(Word* result, const Sum& sum, std::size_t count) const {
    auto* const at = reinterpret_cast<Integers*>(result);
    const Integers low = _mm256_sub_epi64(sum.low, times(count, two_52));
    const Integers high = _mm256_sub_epi64(sum.high, times(count, two_104));
    *at = subtract(*at, reduce(low, high));
  }

  Integers canonical(Integers a) const {
    const Integers is_negative = _mm256_cmpgt_epi64(_mm256_setzero_si256(), a);
    return _mm256_add_epi64(a, _mm256_and_si256(is_negative, prime_));
  }
  Integers subtract(Integers a, Integers b) const { return canonical(_mm256_sub_epi64(a, b)); }

  Integers multiply(Integers a, Integers b) const {
    const Reals rounded = rounded_product(real(a), real(b));
    return canonical(shift(low_word(low_part(real(a), real(b), rounded)), low_word(bits(rounded))));
  }

  // (low + high R) / R^2.
  Integers reduce(Integers low, Integers high) const {
    high = _mm256_add_epi64(high, _mm256_srli_epi64(low, word_bits));
    const Integers once = _mm256_add_epi64(shift(low_word(low), high), prime_);
    return canonical(shift(low_word(once), _mm256_srli_epi64(once, word_bits)));
  }

  // (low + high R) / R, plus a multiple of the prime, more than -prime; low is below R. The low
  // parts of the product and of what is taken off are equal and cancel.
  Integers shift(Integers low, Integers high) const {
    const Reals by_inverse = rounded_product(real(low), real_inverse_);
    const Reals by_prime = real(low_word(low_part(real(low), real_inverse_, by_inverse)));
    return _mm256_sub_epi64(high, low_word(bits(rounded_product(by_prime, real_prime_))));
  }

  static Integers low_word(Integers a) {
    return _mm256_and_si256(a, _mm256_set1_epi64x(static_cast<long long>(radix - 1)));
  }

  Integers prime_;
  Reals real_prime_;
  Reals real_inverse_;
};

// Not inlined: what is computed here must not come before the rounding is set.
[[gnu::noinline]] Word eliminate(const Field& field, Grid grid) {
  return Elimination<Avx2>(field, grid).run();
}

}  // namespace

Word eliminate_avx2(const Field& field, Grid grid) {
  const unsigned before = _mm_getcsr();
  _MM_SET_ROUNDING_MODE(_MM_ROUND_DOWN);
  const Word determinant = eliminate(field, grid);
  _mm_setcsr(before);
  return determinant;
}

}  // namespace lin_solv

#endif
