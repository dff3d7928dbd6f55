#include "programs/barnes_hut/units.hpp"

#include <algorithm>
#include <cmath>

#include "programs/common/bad_input.hpp"

namespace bh {

Bounds bounds_of(const Bodies& bodies) {
  Bounds all{bodies.front().position, bodies.front().position, 0, 0};
  for (const auto& body : bodies) {
    const Vec& p = body.position;
    all.low = lower(all.low, p);
    all.high = higher(all.high, p);
    all.mass += body.mass;
    all.largest = std::max(all.largest, body.mass);
  }
  return all;
}

Bounds join(const Bounds& a, const Bounds& b) {
  return {lower(a.low, b.low), higher(a.high, b.high), a.mass + b.mass,
          std::max(a.largest, b.largest)};
}

Cube cube_around(const Bounds& bounds) {
  const Vec extent = bounds.high - bounds.low;
  const double side = std::max({extent.x, extent.y, extent.z});
  if (std::isinf(1 / side)) return {bounds.low, 1};  // all at one place, as far as numbers go
  return {0.5 * (bounds.low + bounds.high) - (0.5 * side) * Vec{1, 1, 1}, side * (1 + 1e-12)};
}

programs::Plain<Mass> Units::masses(const Bodies& bodies) const {
  programs::Plain<Mass> masses;
  masses.reserve(bodies.size());
  for (const auto& body : bodies) {
    const Vec p = cube.to_unit(body.position);
    masses.push_back({body.key, p.x, p.y, p.z, body.mass / mass});
  }
  return masses;
}

Units units_of(const Bounds& bounds, const Gravity& gravity) {
  Units units;
  units.cube = cube_around(bounds);
  if (!std::isfinite(units.cube.side)) throw programs::BadInput(left_range);
  units.mass = bounds.mass > 0 ? bounds.mass : 1;
  // Where softening is far larger than the cube, forces grow with distance alone: single precision
  // could not hold its square, and needn't.
  const double length = std::max(units.cube.side, 1e-5 * gravity.softening);
  Settings& settings = units.settings;
  settings.theta = gravity.theta;
  settings.softening = gravity.softening / length;
  settings.quadrupole = gravity.quadrupole;
  settings.kernel = gravity.kernel;
  // A body's softened potential on itself is taken off at the end, unless it would drown the rest.
  settings.skip_coincident = settings.softening <= 4 * bounds.largest / units.mass;
  units.potential = units.mass / length;
  units.acceleration = units.potential / length * (units.cube.side / length);
  return units;
}

}  // namespace bh
