// What is conserved, and how good the forces are.
#pragma once

#include <span>

#include "programs/barnes_hut/bodies.hpp"

namespace bh {

struct Balance {
  double kinetic = 0;
  double potential = 0;
  Vec momentum;
  Vec angular_momentum;
  double work = 0;  ///< what acted on what

  double energy() const { return kinetic + potential; }
  /// 1 in equilibrium.
  double virial_ratio() const { return potential == 0 ? 0 : -2 * kinetic / potential; }
};

/// The body must have its potential.
Balance balance_of(const Body& body);
Balance sum(const Balance& a, const Balance& b);

/// Of accelerations, relative, against direct summation in double precision.
struct ForceError {
  std::size_t sample = 0;
  double mean = 0;
  double rms = 0;
  double largest = 0;
  double of_pulls = 0;  ///< the mean, relative to all single pulls, which may cancel out
};

/// For a sample of at most so many bodies, spread evenly over all.
ForceError force_error(std::span<const Body> bodies, double softening, std::size_t sample);

}  // namespace bh
