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

  double energy() const { return kinetic + potential; }
  /// 1 in equilibrium.
  double virial_ratio() const { return potential == 0 ? 0 : -2 * kinetic / potential; }
};

/// The bodies must have their potentials.
Balance balance_of(std::span<const Body> bodies);

/// Of accelerations, relative, against direct summation in double precision.
struct ForceError {
  std::size_t sample = 0;
  double mean = 0;
  double rms = 0;
  double largest = 0;
};

/// For a sample of at most so many bodies, spread evenly over all.
ForceError force_error(std::span<const Body> bodies, double softening, std::size_t sample);

}  // namespace bh
