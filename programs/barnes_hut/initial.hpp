// Initial conditions in Henon units: G = 1, total mass 1, energy -1/4 where the system is alone.
#pragma once

#include <cstdint>

#include "programs/barnes_hut/bodies.hpp"

namespace bh {

/// Plummer's sphere in equilibrium (Aarseth, Henon, Wielen 1974), cut at 20 scale radii.
Bodies plummer(std::size_t count, std::uint64_t seed);

/// A uniform sphere at rest: radius 12/5.
Bodies uniform_sphere(std::size_t count, std::uint64_t seed);

/// Two galaxies, each a disk in a Plummer halo, that meet on a parabola.
Bodies two_galaxies(std::size_t count, std::uint64_t seed);

}  // namespace bh
