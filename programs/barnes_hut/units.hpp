// The units in which forces are computed: the bodies' cube is [0, 1]^3, their mass is 1.
#pragma once

#include <vector>

#include "programs/barnes_hut/hilbert.hpp"
#include "programs/barnes_hut/tree.hpp"
#include "programs/common/plain.hpp"

namespace bh {

/// What the user asks of the physics.
struct Gravity {
  double theta = 0.5;
  double softening = 0;
  bool quadrupole = false;
  std::uint32_t kernel = 0;
};

/// Of some bodies: the box around them, and their masses.
struct Bounds {
  Vec low, high;
  double mass = 0;
  double largest = 0;  ///< mass
};

/// Of one body at least.
Bounds bounds_of(const Bodies& bodies);
Bounds join(const Bounds& a, const Bounds& b);

/// A little larger than the box, so that rounding leaves nobody outside.
Cube cube_around(const Bounds& bounds);

/// From the bodies' units to those of the tree, and back.
struct Units {
  Cube cube;
  double mass = 1;
  Settings settings;
  double potential = 1;     ///< what a unit of potential is
  double acceleration = 1;  ///< and one of acceleration

  programs::Plain<Mass> masses(const Bodies& bodies) const;
};

inline constexpr auto left_range = "the bodies have left the range of numbers; take smaller steps";

/// Throws programs::BadInput(left_range) if they have.
Units units_of(const Bounds& bounds, const Gravity& gravity);

}  // namespace bh
