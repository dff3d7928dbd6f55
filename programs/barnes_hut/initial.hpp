// Initial conditions in Henon units: G = 1, total mass 1, energy -1/4 where the system is alone.
// Each body is made by itself; then they are put to rest together.
#pragma once

#include <cstddef>
#include <cstdint>

#include "programs/barnes_hut/bodies.hpp"

namespace bh {

/// Of Plummer's sphere in equilibrium (Aarseth, Henon, Wielen 1974), cut at 20 scale radii.
Body plummer(std::size_t i, std::size_t count, std::uint64_t seed);

/// Of a uniform sphere at rest: radius 12/5.
Body uniform_sphere(std::size_t i, std::size_t count, std::uint64_t seed);

/// Of two galaxies, each a disk in a Plummer halo, that meet on a parabola.
Body two_galaxies(std::size_t i, std::size_t count, std::uint64_t seed);

/// Mass, and mass times position and velocity.
struct Drift {
  double mass = 0;
  Vec position, velocity;
};
Drift drift_of(const Body& body);
Drift together(const Drift& a, const Drift& b);
/// Where all of them have their centre at the origin, and rest.
Body at_rest(Body body, const Drift& all);

}  // namespace bh
