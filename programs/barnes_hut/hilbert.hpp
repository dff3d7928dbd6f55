// Peano-Hilbert order: bodies that are neighbours on the curve are neighbours in space, and every
// cell of the octree is a piece of the curve.
#pragma once

#include <cstdint>

#include "programs/barnes_hut/bodies.hpp"

namespace bh {

inline constexpr int key_levels = 21;  ///< of the octree: three bits of a key each

/// The cube around all bodies.
struct Cube {
  Vec corner;
  double side = 1;

  /// In [0, 1] for what lies inside.
  Vec to_unit(Vec p) const { return (1 / side) * (p - corner); }
};

/// The place on the curve of a point of the unit cube.
std::uint64_t hilbert_key(Vec unit);

}  // namespace bh
