// Chinese remaindering: from residues modulo many primes to integers.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <gmpxx.h>

#include "programs/lin_solv/modular.hpp"

namespace lin_solv {

/// Primes, M their product, and for each prime p the inverse of M / p modulo p, times R.
struct Moduli {
  std::vector<Word> primes;
  std::vector<Word> weights;
};
Moduli moduli(std::vector<Word> primes);

/// The integer between -M/2 and M/2 that has these residues modulo the primes: the sum of
/// c_p M / p, where c_p is the residue times the weight, by a tree of partial products.
class Remaindering {
 public:
  explicit Remaindering(const Moduli& moduli);
  mpz_class integer(std::span<const Word> residues) const;

 private:
  /// A range of primes: their product; in a leaf, the product of all but one, for each.
  struct Tree {
    explicit Tree(std::span<const Word> primes);
    mpz_class sum(const Word* coefficients) const;

    mpz_class product = 1;
    std::size_t size;
    std::vector<mpz_class> cofactors;
    std::unique_ptr<Tree> left, right;
  };

  std::vector<Field> fields_;
  std::vector<Word> weights_;
  Tree tree_;
  mpz_class half_;
};

}  // namespace lin_solv
