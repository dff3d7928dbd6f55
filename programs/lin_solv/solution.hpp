// Solutions: fractions, as text.
#pragma once

#include <string>
#include <vector>

#include <gmpxx.h>

#include "programs/lin_solv/system.hpp"

namespace lin_solv {

/// The unknowns in lowest terms, `3`, `-1/2`.
using Solution = std::vector<std::string>;

/// These numerators over one denominator, which isn't 0.
Solution fractions(const std::vector<mpz_class>& numerators, const mpz_class& denominator);

/// What is wrong with a solution, or nothing: it is multiplied out, exactly.
std::string fault_of(const System& system, const Solution& solution);

}  // namespace lin_solv
