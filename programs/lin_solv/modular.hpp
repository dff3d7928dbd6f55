// Residues modulo a prime of 52 bits, in Montgomery's way with R = 2^52.
#pragma once

#include <cstdint>

namespace lin_solv {

using Word = std::uint64_t;
__extension__ typedef unsigned __int128 DoubleWord;  // NOLINT(modernize-use-using)

constexpr int word_bits = 52;  // what AVX-512's integer multiply-add takes
constexpr Word radix = Word{1} << word_bits;

// Inlined everywhere, so that what is compiled for one kind of processor (elimination_avx512.cpp)
// never stands in for what is called on another.
#define LIN_SOLV_INLINE [[gnu::always_inline]]

/// The integers modulo a prime between 2^51 and 2^52. Residues are canonical: 0 to prime - 1.
class Field {
 public:
  LIN_SOLV_INLINE explicit Field(Word prime) : prime_(prime), inverse_(1) {
    for (int bits = 1; bits < word_bits; bits *= 2) inverse_ *= 2 - prime * inverse_;  // Newton
    inverse_ %= radix;
    r2_ = static_cast<Word>((DoubleWord{1} << (2 * word_bits)) % prime);
  }

  LIN_SOLV_INLINE Word prime() const { return prime_; }
  /// prime^-1 mod R.
  LIN_SOLV_INLINE Word inverse() const { return inverse_; }
  /// R^2 mod prime: `multiply` by it takes a residue a to aR.
  LIN_SOLV_INLINE Word r2() const { return r2_; }

  /// a b / R.
  LIN_SOLV_INLINE Word multiply(Word a, Word b) const { return shift(DoubleWord{a} * b); }

  LIN_SOLV_INLINE Word subtract(Word a, Word b) const { return a < b ? a + prime_ - b : a - b; }

  /// sum / R^2, for sums below 2^116 (2^12 products).
  LIN_SOLV_INLINE Word reduce(DoubleWord sum) const {
    const Word by_prime = static_cast<Word>(sum) * inverse_ % radix;
    return shift((sum >> word_bits) + prime_ - high(by_prime));
  }

  /// a^-1, for a > 0, by Euclid.
  LIN_SOLV_INLINE Word invert(Word a) const {
    Word r0 = prime_, r1 = a;
    std::int64_t t0 = 0, t1 = 1;
    while (r1 != 1) {
      const Word quotient = r0 / r1;
      const Word r2 = r0 - quotient * r1;
      const std::int64_t t2 = t0 - static_cast<std::int64_t>(quotient) * t1;
      r0 = r1, r1 = r2, t0 = t1, t1 = t2;
    }
    return t1 < 0 ? static_cast<Word>(t1 + static_cast<std::int64_t>(prime_))
                  : static_cast<Word>(t1);
  }

 private:
  LIN_SOLV_INLINE Word high(Word by_prime) const {
    return static_cast<Word>((DoubleWord{by_prime} * prime_) >> word_bits);
  }

  // product / R, in 0 to prime - 1 if the product is below R prime. The low parts are equal and
  // cancel.
  LIN_SOLV_INLINE Word shift(DoubleWord product) const {
    const Word by_prime = static_cast<Word>(product) * inverse_ % radix;
    const Word rest = static_cast<Word>(product >> word_bits);
    return subtract(rest, high(by_prime));
  }

  Word prime_;
  Word inverse_;
  Word r2_;
};

}  // namespace lin_solv
