#include "programs/raytracer/mesh.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "programs/common/text.hpp"
#include "programs/raytracer/text.hpp"

namespace raytracer {
namespace {

using programs::shown;

struct Corner {
  std::size_t vertex;
  Vec normal;
};

class MeshReader {
 public:
  MeshReader(const std::string& file, std::string_view content) : text_(file, content) {}

  Mesh read() {
    while (text_.next_line()) {
      const std::string_view kind = text_.next_word();
      if (kind == "v")
        vertices_.push_back(text_.vec());
      else if (kind == "vn")
        normals_.push_back(text_.vec());
      else if (kind == "f")
        face();
    }
    if (mesh_.triangles.empty()) text_.fail("the mesh has no faces");
    mesh_.vertices = vertices_.size();
    return std::move(mesh_);
  }

 private:
  void face() {
    const Corner first = corner(text_.word("a corner"));
    Corner last = corner(text_.word("a corner"));
    std::string_view word = text_.word("a corner");
    for (; !word.empty(); word = text_.next_word()) {
      const Corner next = corner(word);
      if (mesh_.triangles.size() == most_surfaces)
        text_.fail(fmt::format("more than {} triangles", most_surfaces));
      mesh_.triangles.push_back(
          {{vertices_[first.vertex], vertices_[last.vertex], vertices_[next.vertex]},
           {first.normal, last.normal, next.normal},
           {static_cast<std::uint32_t>(first.vertex), static_cast<std::uint32_t>(last.vertex),
            static_cast<std::uint32_t>(next.vertex)}});
      last = next;
    }
  }

  // VERTEX, VERTEX/TEXTURE, VERTEX//NORMAL or VERTEX/TEXTURE/NORMAL.
  Corner corner(std::string_view word) const {
    const std::size_t slash = std::min(word.find('/'), word.size());
    Corner corner{index(word, word.substr(0, slash), vertices_.size()), {}};
    if (slash == word.size()) return corner;
    const std::string_view rest = word.substr(slash + 1);
    if (const std::size_t second = rest.find('/'); second != rest.npos)
      corner.normal = normals_[index(word, rest.substr(second + 1), normals_.size())];
    return corner;
  }

  std::size_t index(std::string_view corner, std::string_view digits, std::size_t count) const {
    std::int64_t value = 0;
    if (programs::number(digits, value) != std::errc())
      text_.fail(fmt::format("{} is not a corner of a face", shown(corner)));
    const auto have = static_cast<std::int64_t>(count);
    if (value < 0) value += have + 1;
    if (value < 1 || value > have)
      text_.fail(
          fmt::format("corner {} is out of range: there are {} so far", shown(corner), have));
    return static_cast<std::size_t>(value - 1);
  }

  Text text_;
  std::vector<Vec> vertices_;
  std::vector<Vec> normals_;
  Mesh mesh_;
};

}  // namespace

Mesh read_mesh(const std::string& file, const std::string& where) {
  std::string content;
  try {
    content = programs::read_file(file);
  } catch (const programs::BadInput& e) {
    throw programs::BadInput(where + ": " + e.what());
  }
  return MeshReader(file, content).read();
}

void smooth(Mesh& mesh) {
  std::vector<Vec> sums(mesh.vertices);
  for (const auto& triangle : mesh.triangles) {
    const auto& at = triangle.at;
    const Vec normal = cross(at[1] - at[0], at[2] - at[0]);
    for (const std::uint32_t vertex : triangle.vertex) sums[vertex] = sums[vertex] + normal;
  }
  for (auto& triangle : mesh.triangles)
    for (std::size_t i = 0; i < 3; ++i)
      if (dot(triangle.normal[i], triangle.normal[i]) == 0)
        triangle.normal[i] = sums[triangle.vertex[i]];
}

}  // namespace raytracer
