#include "programs/lin_solv/system.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <fmt/format.h>

#include "programs/common/bad_input.hpp"

namespace lin_solv {

using programs::BadInput;

void System::lengthen(std::uint64_t to_digits) {
  constexpr std::uint64_t most_words = std::uint64_t{1} << 30U;
  if (to_digits > most_words / entries())
    throw BadInput(fmt::format("{} rows with entries of {} bits take more than 8 GiB", rows,
                               to_digits * digit_bits));
  digits = std::max(digits, to_digits);
  words.resize(digits * entries());
}

void System::set(std::size_t row, std::size_t column, mpz_class value) {
  const auto needed = (mpz_sizeinbase(value.get_mpz_t(), 2) + digit_bits - 1) / digit_bits;
  if (needed > digits) lengthen(needed);
  mpz_class low;
  for (std::size_t place = 0; value != 0; ++place) {
    mpz_tdiv_r_2exp(low.get_mpz_t(), value.get_mpz_t(), digit_bits);
    mpz_tdiv_q_2exp(value.get_mpz_t(), value.get_mpz_t(), digit_bits);
    digit(place, row, column) = low.get_si();
  }
}

mpz_class System::entry(std::size_t row, std::size_t column) const {
  mpz_class value;
  for (std::size_t place = digits; place-- > 0;) {
    value <<= digit_bits;
    value += digit(place, row, column);
  }
  return value;
}

System random_system(std::uint64_t rows, std::uint64_t bits, std::uint64_t seed) {
  System system(rows, (bits + System::digit_bits - 1) / System::digit_bits);
  std::mt19937_64 random(seed);
  for (std::size_t row = 0; row < system.rows; ++row)
    for (std::size_t column = 0; column < system.columns(); ++column) {
      const bool negative = random() % 2 == 1;
      for (std::size_t place = 0; place < system.digits; ++place) {
        const auto left = bits - place * System::digit_bits;
        const auto low = static_cast<std::int64_t>(
            random() >> (64 - std::min<std::uint64_t>(left, System::digit_bits)));
        system.digit(place, row, column) = negative ? -low : low;
      }
    }
  return system;
}

namespace {

// The size of an entry, rounded up, in units of 2^(51 (digits - 2)).
double size_above(const System& system, std::size_t row, std::size_t column) {
  const auto digit = [&](std::size_t place) {
    return std::abs(static_cast<double>(system.digit(place, row, column)));
  };
  const auto top = system.digits - 1;
  if (top == 0) return digit(0) * 0x1p51;
  return digit(top) * 0x1p51 + digit(top - 1) + (top > 1 ? 1 : 0);
}

}  // namespace

double bound_bits(const System& system) {
  std::vector<double> row_squares(system.rows), column_squares(system.columns());
  for (std::size_t row = 0; row < system.rows; ++row)
    for (std::size_t column = 0; column < system.columns(); ++column) {
      const double size = size_above(system, row, column);
      row_squares[row] += size * size;
      column_squares[column] += size * size;
    }
  // An all-zero row or column makes the determinant 0; as if it were of length 1.
  const double unit = (static_cast<double>(system.digits) - 2) * System::digit_bits;
  const auto bits = [unit](double square) {
    return square == 0 ? 0 : std::max(0.0, unit + std::log2(square) / 2);
  };
  double by_rows = 0, by_columns = 0, least = bits(column_squares[0]);
  for (const double square : row_squares) by_rows += bits(square);
  for (const double square : column_squares) {
    by_columns += bits(square);
    least = std::min(least, bits(square));
  }
  // Far more than what rounding can have lost: each sum of squares is right to n 2^-52 of itself.
  const double margin = 1 + 1e-9 * static_cast<double>(system.entries());
  return std::min(by_rows, by_columns - least) + margin;
}

}  // namespace lin_solv
