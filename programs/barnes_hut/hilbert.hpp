// Peano-Hilbert order: bodies that are neighbours on the curve are neighbours in space, and every
// cell of the octree is a piece of the curve.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

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

Cube cube_around(std::span<const Body> bodies);

/// The place on the curve of a point of the unit cube.
std::uint64_t hilbert_key(Vec unit);

/// A body's place on the curve, and in memory.
struct Keyed {
  std::uint64_t key;
  std::uint64_t place;
};

/// The bodies along the curve, those with equal keys in the order in which they are.
Plain<Keyed> order_along_curve(std::span<const Body> bodies, const Cube& cube);

/// Puts the bodies themselves into this order, and notes it there.
void put_in_order(Bodies& bodies, Plain<Keyed>& order);

}  // namespace bh
