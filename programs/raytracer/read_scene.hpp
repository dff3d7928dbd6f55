// Scenes in text files; the format is described in scenes/README.md.
#pragma once

#include <string>

#include "programs/raytracer/scene.hpp"

namespace raytracer {

/// Throws BadInput `FILE:LINE: cause`. The hierarchy has been built.
Scene read_scene(const std::string& file);

}  // namespace raytracer
