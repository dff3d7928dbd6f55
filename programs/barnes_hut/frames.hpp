// Pictures of the bodies, seen along the z axis.
#pragma once

#include <span>

#include "programs/barnes_hut/bodies.hpp"
#include "programs/common/picture.hpp"

namespace bh {

/// Half the side of a square around the origin of x and y that shows most of the bodies.
double view_of(std::span<const Body> bodies);

/// A square picture of the surface density, on a logarithmic scale.
programs::Picture frame(std::span<const Body> bodies, double view, int pixels);

}  // namespace bh
