// A linear system over the integers: where it comes from, and how large its solution can be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gmpxx.h>

namespace lin_solv {

/// [A | b], dense. Entries are written with signed digits to base 2^51, each less than the base in
/// size, so that it is a residue modulo any prime above, but for the sign.
struct System {
  static constexpr int digit_bits = 51;
  static constexpr std::size_t most_rows = 20000;

  std::uint64_t rows = 0;           ///< A has as many columns; b is one more
  std::uint64_t digits = 1;         ///< of each entry
  std::vector<std::int64_t> words;  ///< least significant digits of all entries, row by row; next

  System() = default;
  explicit System(std::uint64_t order, std::uint64_t length = 1) : rows(order) { lengthen(length); }

  std::uint64_t columns() const { return rows + 1; }
  std::uint64_t entries() const { return rows * columns(); }
  std::int64_t& digit(std::size_t place, std::size_t row, std::size_t column) {
    return words[place * entries() + row * columns() + column];
  }
  std::int64_t digit(std::size_t place, std::size_t row, std::size_t column) const {
    return words[place * entries() + row * columns() + column];
  }
  /// Makes room for longer entries. Throws BadInput if that is too much.
  void lengthen(std::uint64_t to_digits);

  void set(std::size_t row, std::size_t column, mpz_class value);
  mpz_class entry(std::size_t row, std::size_t column) const;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(rows, digits, words);
  }
};

/// Plain text (N, then N rows of N + 1 integers) or MatrixMarket (array or coordinate, integer),
/// the latter with its right-hand side in a file of its own: the same, with one column, or just N
/// integers. Throws BadInput.
System read_system(const std::string& file, const std::string& right_hand_side);

/// Entries between -2^bits and 2^bits, exclusively, all equally likely but for a 0 that is twice as
/// likely. The same on all machines.
System random_system(std::uint64_t rows, std::uint64_t bits, std::uint64_t seed);

/// No determinant of n columns of [A | b] is larger in size than 2 to this power (Hadamard, by rows
/// and by columns).
double bound_bits(const System& system);

}  // namespace lin_solv
