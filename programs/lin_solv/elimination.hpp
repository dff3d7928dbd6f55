// A x = b modulo a prime: Gauss's elimination in blocks of 8 x 8, written once for all processors.
#pragma once

#include <cstddef>
#include <cstdint>

#include "programs/lin_solv/modular.hpp"

namespace lin_solv {

constexpr std::size_t lanes = 8;
constexpr std::size_t block = lanes * lanes;

/// Residues in 8 x 8 blocks: columns of blocks, one after the other; a block is 8 rows of 8 words.
/// `rows` is a multiple of 8; the square matrix is followed by one column of blocks, the first
/// column of which is the right-hand side.
struct Grid {
  Word* words;  ///< aligned to 64 bytes
  std::size_t rows;

  LIN_SOLV_INLINE static std::size_t size(std::size_t rows) { return rows * (rows + lanes); }
  LIN_SOLV_INLINE std::size_t blocks() const { return rows / lanes; }
  /// 8 words of a row.
  LIN_SOLV_INLINE Word* at(std::size_t row, std::size_t column_block) const {
    return words + (column_block * rows + row) * lanes;
  }
  LIN_SOLV_INLINE Word* block_at(std::size_t row_block, std::size_t column_block) const {
    return at(row_block * lanes, column_block);
  }
  LIN_SOLV_INLINE std::size_t column_words() const { return rows * lanes; }
};

/// Replaces the right-hand side by det(A) x, and returns det(A), or 0 if that is its residue; the
/// rest of the grid is scratch. Words may be signed numbers between -prime and prime at first. One
/// function for each kind of processor.
Word eliminate_portable(const Field& field, Grid grid);
Word eliminate_avx2(const Field& field, Grid grid);
Word eliminate_avx512(const Field& field, Grid grid);

/// Block LU without fill-in of its own: below the diagonal L = A21 A11^-1, scaled by R^2, above it
/// the Schur complements as they are. Each block is reduced once for all products that go into it
/// (Crout's order), so nearly all work is in `Arithmetic::subtract_products`.
///
/// Arithmetic has Vector (8 residues), load, store, broadcast, multiply (a b / R), subtract,
/// canonical (of signed numbers between -prime and prime), and
///   subtract_products<Keep>(into, left, left_step, right, count):
///     into = (Keep ? into : 0) - sum of left block x right block / R^2;
///     blocks lie left_step words apart on the left, one after the other on the right.
template <class Arithmetic>
class Elimination {
  using Vector = typename Arithmetic::Vector;

 public:
  Elimination(const Field& field, Grid grid) : field_(field), grid_(grid), arithmetic_(field) {}

  Word run() {
    for (std::size_t at = 0; at < Grid::size(grid_.rows); at += lanes)
      arithmetic_.store(grid_.words + at,
                        arithmetic_.canonical(arithmetic_.load(grid_.words + at)));
    for (std::size_t j = 0; j < grid_.blocks(); ++j) {
      for (std::size_t i = j; i < grid_.blocks(); ++i) update(i, j, j);
      if (!invert_diagonal(j)) return 0;
      for (std::size_t i = j + 1; i < grid_.blocks(); ++i) {
        Word* below = grid_.block_at(i, j);
        arithmetic_.template subtract_products<false>(below, below, 0, grid_.block_at(j, j), 1);
      }
      for (std::size_t c = j + 1; c <= grid_.blocks(); ++c) update(j, c, j);
    }
    substitute_back();
    return determinant_;
  }

 private:
  // The block (i, c) minus what the first `count` block rows contribute.
  void update(std::size_t i, std::size_t c, std::size_t count) {
    arithmetic_.template subtract_products<true>(grid_.block_at(i, c), grid_.block_at(i, 0),
                                                 grid_.column_words(), grid_.block_at(0, c), count);
  }

  // Finds 8 independent rows at or below the diagonal block j, swaps them into it, and replaces it
  // by -R^4 times its inverse. (Gauss-Jordan; rows beside the block come along as they are.)
  bool invert_diagonal(std::size_t j) {
    Vector unit[lanes];       // rows of the block, with pivots 1
    Vector transform[lanes];  // what the identity has become
    for (std::size_t c = 0; c < lanes; ++c) {
      Word factors[lanes] = {};
      Vector row = {};
      const std::size_t at = j * lanes + c;
      std::size_t candidate = at;
      for (; candidate < grid_.rows; ++candidate) {
        row = arithmetic_.load(grid_.at(candidate, j));
        for (std::size_t k = 0; k < c; ++k) {
          factors[k] = to_montgomery(lane(row, k));
          row = minus(row, factors[k], unit[k]);
        }
        if (lane(row, c) != 0) break;
      }
      if (candidate == grid_.rows) return false;
      if (candidate != at) swap_rows(candidate, at);
      const Word pivot = lane(row, c);
      determinant_ = field_.multiply(determinant_, to_montgomery(pivot));
      const Word scale = to_montgomery(field_.invert(pivot));
      Vector image = identity_row(c);
      for (std::size_t k = 0; k < c; ++k) image = minus(image, factors[k], transform[k]);
      unit[c] = arithmetic_.multiply(row, arithmetic_.broadcast(scale));
      transform[c] = arithmetic_.multiply(image, arithmetic_.broadcast(scale));
    }
    for (std::size_t c = lanes; c-- > 1;)
      for (std::size_t k = 0; k < c; ++k)
        transform[k] = minus(transform[k], to_montgomery(lane(unit[k], c)), transform[c]);
    for (std::size_t c = 0; c < lanes; ++c)
      arithmetic_.store(grid_.at(j * lanes + c, j), transform[c]);
    return true;
  }

  Vector minus(Vector from, Word factor, Vector row) {
    return arithmetic_.subtract(from, arithmetic_.multiply(arithmetic_.broadcast(factor), row));
  }

  Vector identity_row(std::size_t c) const {
    alignas(64) Word row[lanes] = {};
    row[c] = minus_r4();
    return arithmetic_.load(row);
  }

  static Word lane(Vector row, std::size_t c) {
    alignas(64) Word words[lanes];
    Arithmetic::store(words, row);
    return words[c];
  }

  void swap_rows(std::size_t a, std::size_t b) {
    for (std::size_t c = 0; c <= grid_.blocks(); ++c) {
      const Vector row = arithmetic_.load(grid_.at(a, c));
      arithmetic_.store(grid_.at(a, c), arithmetic_.load(grid_.at(b, c)));
      arithmetic_.store(grid_.at(b, c), row);
    }
    determinant_ = field_.subtract(0, determinant_);
  }

  // The solution is kept as x R^2 until it is complete.
  void substitute_back() {
    const std::size_t last = grid_.blocks();
    for (std::size_t j = last; j-- > 0;) {
      Word* x = grid_.block_at(j, last);
      if (j + 1 < last)
        arithmetic_.template subtract_products<true>(x, grid_.block_at(j, j + 1),
                                                     grid_.column_words(), x + block, last - j - 1);
      arithmetic_.template subtract_products<false>(x, grid_.block_at(j, j), 0, x, 1);
    }
    for (std::size_t i = 0; i < grid_.rows; ++i) {
      Word* x = grid_.at(i, last);
      *x = field_.multiply(field_.multiply(*x, determinant_), 1);
    }
  }

  Word to_montgomery(Word a) const { return field_.multiply(a, field_.r2()); }
  Word minus_r4() const {
    const Word r3 = field_.multiply(field_.r2(), field_.r2());
    return field_.subtract(0, to_montgomery(r3));
  }

  const Field& field_;
  Grid grid_;
  Arithmetic arithmetic_;
  Word determinant_ = 1;
};

}  // namespace lin_solv
