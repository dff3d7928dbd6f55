// Pictures of the bodies, seen along the z axis: each shard makes one of its own, and they are
// added up.
#pragma once

#include <cstdint>
#include <vector>

#include "programs/barnes_hut/bodies.hpp"
#include "programs/common/picture.hpp"

namespace bh {

/// How far from the origin, along x or y, some of the bodies are: 10,000 to 20,000 of all `count`.
using Distances = std::vector<double>;
Distances distances_of(const Bodies& bodies, std::uint64_t count);
Distances both(const Distances& a, const Distances& b);
/// Half the side of a square around the origin that shows most of the bodies.
double view_of(Distances distances);

/// Mass in the pixels of a square of x and y, by rows from the top.
struct Density {
  std::vector<double> cells;
  double mass = 0;  ///< also outside of it
  std::uint64_t bodies = 0;
};
Density density_of(const Bodies& bodies, double view, int pixels);
Density overlaid(const Density& a, const Density& b);

/// The picture, on a logarithmic scale.
programs::Picture frame(const Density& density, int pixels);

}  // namespace bh
