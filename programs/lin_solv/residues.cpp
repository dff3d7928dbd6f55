#include "programs/lin_solv/residues.hpp"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "programs/lin_solv/elimination.hpp"

namespace lin_solv {
namespace {

struct Free {
  void operator()(Word* words) const { std::free(words); }
};

/// This thread's room for a grid, kept from one prime to the next: fresh pages from the kernel cost
/// a tenth of the elimination. It is malloc's, so the collector doesn't look into it.
Word* grid_words(std::size_t count) {
  thread_local std::unique_ptr<Word, Free> words;
  thread_local std::size_t size = 0;
  if (size < count) {
    words.reset(static_cast<Word*>(std::aligned_alloc(64, count * sizeof(Word))));
    size = words == nullptr ? 0 : count;
    if (words == nullptr) throw std::bad_alloc();
  }
  return words.get();  // NOLINT(clang-analyzer-unix.Malloc): the thread lives
}

/// Long entries, by Horner's rule.
void reduce_long(const Field& field, const System& system, Grid grid) {
  const Word base = field.multiply(field.r2(), Word{1} << System::digit_bits);  // times R
  for (std::size_t row = 0; row < system.rows; ++row)
    for (std::size_t column = 0; column < system.columns(); ++column) {
      const auto residue = [&](std::size_t place) {
        const auto digit = system.digit(place, row, column);
        return static_cast<Word>(digit < 0 ? digit + static_cast<std::int64_t>(field.prime())
                                           : digit);
      };
      Word value = residue(system.digits - 1);
      for (std::size_t place = system.digits - 1; place-- > 0;)
        value = field.subtract(field.multiply(value, base), field.subtract(0, residue(place)));
      const std::size_t at = column == system.rows ? grid.rows : column;
      grid.at(row, at / lanes)[at % lanes] = value;
    }
}

/// Entries of one digit: nearly residues already.
void copy_short(const System& system, Grid grid) {
  const std::size_t whole = system.rows / lanes;
  const std::size_t rest = system.rows % lanes;
  for (std::size_t row = 0; row < system.rows; ++row) {
    const std::int64_t* from = system.words.data() + row * system.columns();
    for (std::size_t c = 0; c < whole; ++c)
      std::memcpy(grid.at(row, c), from + c * lanes, lanes * sizeof(Word));
    if (rest != 0) std::memcpy(grid.at(row, whole), from + whole * lanes, rest * sizeof(Word));
    std::memcpy(grid.at(row, grid.blocks()), from + system.rows, sizeof(Word));
  }
}

/// The columns and rows that fill up the last blocks: those of the identity, and of zeros beside
/// the right-hand side.
void pad(const System& system, Grid grid) {
  for (std::size_t row = 0; row < grid.rows; ++row)
    std::memset(grid.at(row, grid.blocks()), 0, lanes * sizeof(Word));
  if (system.rows == grid.rows) return;
  for (std::size_t row = 0; row < system.rows; ++row)
    std::memset(grid.at(row, grid.blocks() - 1), 0, lanes * sizeof(Word));
  for (std::size_t row = system.rows; row < grid.rows; ++row)
    for (std::size_t c = 0; c < grid.blocks(); ++c) {
      std::memset(grid.at(row, c), 0, lanes * sizeof(Word));
      if (row / lanes == c) grid.at(row, c)[row % lanes] = 1;
    }
}

auto* elimination([[maybe_unused]] Instructions instructions) {
#if defined(__x86_64__)
  const auto use = [instructions](Instructions these) {
    return (instructions == these || instructions == Instructions::best) && available(these);
  };
  if (use(Instructions::avx512)) return eliminate_avx512;
  if (use(Instructions::avx2)) return eliminate_avx2;
#endif
  return eliminate_portable;
}

}  // namespace

Word prime_number(std::uint64_t index) {
  // Up to 2^64 what this test says is certain (Baillie-PSW).
  mpz_class candidate(radix - 2048 * index - 1);
  while (mpz_probab_prime_p(candidate.get_mpz_t(), 25) == 0) candidate -= 2;
  return candidate.get_ui();
}

bool available(Instructions instructions) {
#if defined(__x86_64__)
  if (instructions == Instructions::avx512)
    return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512ifma") != 0;
  if (instructions == Instructions::avx2)
    return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
#endif
  return instructions == Instructions::best || instructions == Instructions::portable;
}

Residues solve_modulo(Word prime, const System& system, Instructions instructions) {
  const Field field(prime);
  const std::size_t rows = (system.rows + lanes - 1) / lanes * lanes;
  const Grid grid{grid_words(Grid::size(rows)), rows};
  pad(system, grid);
  if (system.digits == 1)
    copy_short(system, grid);
  else
    reduce_long(field, system, grid);
  Residues residues{prime, elimination(instructions)(field, grid), {}};
  if (residues.determinant == 0) return residues;
  residues.numerators.resize(system.rows);
  for (std::size_t i = 0; i < system.rows; ++i) residues.numerators[i] = *grid.at(i, grid.blocks());
  return residues;
}

}  // namespace lin_solv
