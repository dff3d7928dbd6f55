#include "programs/lin_solv/solution.hpp"

#include <map>

#include <fmt/format.h>

namespace lin_solv {

namespace {

/// The part of `whole` that consists of the prime factors of `some`.
mpz_class part_of(const mpz_class& whole, const mpz_class& some) {
  mpz_class part = 1, rest = whole, common = gcd(rest, some);
  while (common != 1) {
    part *= common;
    rest /= common;
    common = gcd(rest, common);
  }
  return part;
}

}  // namespace

// A gcd of long numbers for each fraction would cost more than all the rest of this. What the
// denominator has in common with any numerator divides its gcd with their product, and so the part
// of it that can be cancelled at all is found once; it is mostly small.
Solution fractions(const std::vector<mpz_class>& numerators, const mpz_class& denominator) {
  const mpz_class size = abs(denominator);
  mpz_class product = 1;
  for (const mpz_class& numerator : numerators)
    if (numerator != 0) product = product * numerator % size;
  const mpz_class cancels = part_of(size, gcd(product, size));
  std::map<mpz_class, std::string> over;  // the denominator in lowest terms, by what was cancelled
  Solution values;
  for (const mpz_class& numerator : numerators) {
    if (numerator == 0) {
      values.emplace_back("0");
      continue;
    }
    const mpz_class common = gcd(mpz_class(numerator % cancels), cancels);
    const auto [at, fresh] = over.try_emplace(common);
    if (fresh && common != size)
      at->second = fmt::format("/{}", mpz_class(size / common).get_str());
    const mpz_class above = numerator / (denominator < 0 ? mpz_class(-common) : common);
    values.push_back(above.get_str() + at->second);
  }
  return values;
}

std::string fault_of(const System& system, const Solution& solution) {
  if (solution.size() != system.rows) return fmt::format("{} unknowns are given", solution.size());
  std::vector<mpq_class> values;
  mpz_class denominator = 1;  // of all of them
  for (const auto& text : solution) {
    values.emplace_back(text);
    const mpz_class under = values.back().get_den();
    if (under <= 0 || gcd(values.back().get_num(), under) != 1)
      return "a fraction is not in lowest terms";
    denominator = lcm(denominator, under);
  }
  std::vector<mpz_class> numerators;
  numerators.reserve(values.size());
  for (const auto& value : values)
    numerators.emplace_back(value.get_num() * (denominator / value.get_den()));
  for (std::size_t row = 0; row < system.rows; ++row) {
    mpz_class rest = -system.entry(row, system.rows) * denominator;
    for (std::size_t column = 0; column < system.rows; ++column)
      rest += system.entry(row, column) * numerators[column];
    if (rest != 0) return fmt::format("row {} of A x is not that of b", row + 1);
  }
  return "";
}

}  // namespace lin_solv
