#include "programs/lin_solv/remainder.hpp"

#include <utility>

namespace lin_solv {

Moduli moduli(std::vector<Word> primes) {
  Moduli all{std::move(primes), {}};
  for (const Word prime : all.primes) {
    const Field field(prime);
    // Primes are less than 2^52 and more than 2^51: another one is a residue after one subtraction.
    Word product = field.multiply(field.r2(), 1);
    for (const Word other : all.primes)
      if (other != prime)
        product = field.multiply(product,
                                 field.multiply(other < prime ? other : other - prime, field.r2()));
    // From (M / p) R to its inverse times R.
    const Word inverse = field.invert(field.multiply(product, 1));
    all.weights.push_back(field.multiply(inverse, field.r2()));
  }
  return all;
}

Remaindering::Remaindering(const Moduli& moduli)
    : weights_(moduli.weights), tree_(moduli.primes), half_(tree_.product / 2) {
  for (const Word prime : moduli.primes) fields_.emplace_back(prime);
}

mpz_class Remaindering::integer(std::span<const Word> residues) const {
  std::vector<Word> coefficients(fields_.size());
  for (std::size_t i = 0; i < fields_.size(); ++i)
    coefficients[i] = fields_[i].multiply(residues[i], weights_[i]);
  mpz_class value = tree_.sum(coefficients.data()) % tree_.product;
  if (value > half_) value -= tree_.product;
  return value;
}

Remaindering::Tree::Tree(std::span<const Word> primes) : size(primes.size()) {
  constexpr std::size_t leaf = 16;
  if (size > leaf) {
    left = std::make_unique<Tree>(primes.first(size / 2));
    right = std::make_unique<Tree>(primes.subspan(size / 2));
    product = left->product * right->product;
    return;
  }
  for (const Word prime : primes) product *= prime;
  for (const Word prime : primes) cofactors.push_back(product / prime);
}

mpz_class Remaindering::Tree::sum(const Word* coefficients) const {
  mpz_class total;
  if (left != nullptr) {
    total = left->sum(coefficients) * right->product;
    total += left->product * right->sum(coefficients + left->size);
  } else {
    for (std::size_t i = 0; i < size; ++i)
      mpz_addmul_ui(total.get_mpz_t(), cofactors[i].get_mpz_t(), coefficients[i]);
  }
  return total;
}

}  // namespace lin_solv
