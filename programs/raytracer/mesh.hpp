// Triangle meshes in Wavefront OBJ.
#pragma once

#include <string>
#include <vector>

#include "programs/raytracer/scene.hpp"

namespace raytracer {

/// Triangles, as they are in the file.
struct Mesh {
  struct Triangle {
    std::array<Vec, 3> at;
    std::array<Vec, 3> normal;  ///< zero where the file gives none
    std::array<std::uint32_t, 3> vertex;
  };
  std::vector<Triangle> triangles;
  std::size_t vertices = 0;
};

/// Scenes have no more surfaces than this.
inline constexpr std::size_t most_surfaces = 20'000'000;

/// Reads v, vn and f (polygons become fans, indices may count from the end) and skips all else.
/// Throws BadInput; `where` is the place that asked for the file.
Mesh read_mesh(const std::string& file, const std::string& where);

/// Gives each corner the mean of the normals around its vertex, by area, where the file has none.
void smooth(Mesh& mesh);

}  // namespace raytracer
