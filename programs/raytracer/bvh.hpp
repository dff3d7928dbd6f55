// The bounding-volume hierarchy: built once, where the scene is read.
#pragma once

#include "programs/raytracer/scene.hpp"

namespace raytracer {

/// Puts the surfaces of a scene in the order of the leaves and fills in its nodes.
void build_hierarchy(Scene& scene);

/// No path from the root is longer.
inline constexpr int deepest = 64;

}  // namespace raytracer
