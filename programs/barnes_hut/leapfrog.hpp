// Leapfrog, kick-drift-kick, over forces that somebody else computes.
#pragma once

#include <functional>
#include <vector>

#include "programs/barnes_hut/kernels.hpp"

namespace bh {

/// What the user asks of the physics.
struct Gravity {
  double theta = 0.5;
  double softening = 0;
  bool quadrupole = false;
  std::uint32_t kernel = 0;
};

/// The bodies cut into domains. It depends on the bodies alone, so forces don't depend on who
/// computes them.
struct Decomposition {
  Cube cube;
  double mass = 1;
  double unit = 1;  ///< what softening is measured in
  Settings settings;
  Plain<Keyed> order;  ///< of the bodies along the curve
  std::vector<Piece> pieces;

  /// The bodies of a piece, in unit coordinates.
  std::vector<Mass> masses(const Bodies& bodies, const Piece& piece) const;
  std::vector<std::uint64_t> first_keys() const;
  /// Of all pieces, in order.
  std::vector<Unit> units() const;
};

/// Sorts the bodies and cuts them. They themselves are only moved where `moves`: what lies about in
/// memory is slower to get at, but moving all takes longer than a few steps of that.
Decomposition decompose(Bodies& bodies, const Gravity& gravity, bool moves);

/// Seconds, summed over the steps.
struct Phases {
  double sort = 0;
  double tree = 0;
  double forces = 0;
  Work work;  ///< seconds here are of all cores
  std::size_t evaluations = 0;
};

/// Computes the forces on all bodies and gives them to `take`; returns when the tree was there.
using Take = std::function<void(const UnitResult&)>;
using Evaluate = std::function<double(const Decomposition&, const Bodies&, const Take&)>;

/// Sets accelerations and potentials; now and then puts the bodies in order along the curve.
void compute_forces(Bodies& bodies, const Gravity& gravity, const Evaluate& evaluate,
                    Phases& phases);

/// A step of length `dt`; the forces are there before and after it. Throws programs::BadInput if
/// bodies leave the range of numbers.
void step(Bodies& bodies, double dt, const Gravity& gravity, const Evaluate& evaluate,
          Phases& phases);

}  // namespace bh
