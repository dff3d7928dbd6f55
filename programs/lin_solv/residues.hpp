// The solution of a system modulo one prime.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "programs/lin_solv/modular.hpp"
#include "programs/lin_solv/system.hpp"

namespace lin_solv {

/// A prime, det(A), and det(A) x modulo it; nothing of x where det(A) is 0.
struct Residues {
  Word prime;
  Word determinant;
  std::vector<Word> numerators;
};

/// Every one of our primes, up to 2^30 of them, has more bits than this.
constexpr double prime_bits = 51.999;

/// The largest prime below 2^52 - 2048 index. They differ: there is no gap of more than 1132
/// between primes below 2^52 (Nicely, "First occurrence prime gaps").
Word prime_number(std::uint64_t index);

/// Which instructions to use: the best that the processor has, or what is asked for.
enum class Instructions : std::uint8_t { best, portable, avx2, avx512 };

/// Is the processor one for them?
bool available(Instructions instructions);

Residues solve_modulo(Word prime, const System& system, Instructions instructions);

}  // namespace lin_solv
