// What the programs' readers promise of what they have read.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "programs/barnes_hut/read_write.hpp"
#include "programs/barnes_hut/text_format.hpp"
#include "programs/lin_solv/system.hpp"
#include "programs/raytracer/bvh.hpp"
#include "programs/raytracer/read_scene.hpp"
#include "programs/tsp/tsplib.hpp"

namespace fuzz {

class Broken : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

inline void expect(bool kept, const char* promise) {
  if (!kept) throw Broken(promise);
}

inline void read_tsplib(const std::string& file) {
  const tsp::Problem problem = tsp::read_tsplib_file(file);
  expect(problem.cities >= 1 && problem.cities <= tsp::most_cities, "1 to most_cities");
  const auto n = static_cast<std::size_t>(problem.cities);
  expect(problem.distances.size() == n * n, "a distance for each pair");
  for (int a = 0; a < problem.cities; ++a)
    for (int b = 0; b <= a; ++b) {
      const auto there = problem.distance(a, b);
      expect(there == problem.distance(b, a), "the same distance both ways");
      expect(there >= 0 && there <= tsp::longest_distance, "up to longest_distance");
      expect(a != b || there == 0, "a city is where it is");
    }
}

inline void check(const lin_solv::System& system) {
  expect(system.rows >= 1 && system.rows <= system.most_rows, "1 to most_rows");
  expect(system.words.size() == system.digits * system.entries(), "all digits of all entries");
  constexpr auto base = std::int64_t{1} << lin_solv::System::digit_bits;
  for (const auto digit : system.words) expect(digit > -base && digit < base, "digits below 2^51");
}

/// In parts, cut anywhere, they are what they are as a whole.
inline void read_in_parts(const std::string& file, const bh::Snapshot& whole) {
  if (bh::format_of(file) == bh::Format::tipsy) return;
  std::ifstream in(file, std::ios::binary);
  std::vector<std::vector<std::string>> parts(1);
  for (std::string line; std::getline(in, line);) {
    if (parts.back().size() == 2) parts.emplace_back();
    parts.back().push_back(line);
  }
  bh::TextSummary summary = bh::summary_of(parts.front());
  bh::Bodies bodies;
  for (const auto& part : parts) {
    if (&part != &parts.front()) summary = bh::joined(summary, bh::summary_of(part));
    for (const auto& body : bh::bodies_of(part)) {
      bodies.push_back(body);
      bodies.back().place = static_cast<std::uint32_t>(bodies.size() - 1);
    }
  }
  bh::check_text(file, summary);
  expect(bodies == whole.bodies && summary.time == whole.time, "the same in parts");
}

inline void read_bodies(const std::string& file) {
  const bh::Snapshot snapshot = bh::read_bodies(file);
  expect(!snapshot.bodies.empty(), "at least one body");
  expect(std::isfinite(snapshot.time), "a finite time");
  for (std::size_t i = 0; i < snapshot.bodies.size(); ++i) {
    const auto& [mass, at, velocity, acceleration, potential, key, work, place] =
        snapshot.bodies[i];
    for (const double x : {mass, at.x, at.y, at.z, velocity.x, velocity.y, velocity.z})
      expect(std::isfinite(bh::dot({x, x, x}, {x, x, x})), "squares that don't overflow");
    expect(mass >= 0, "no negative mass");
    expect(acceleration == bh::Vec{} && potential == 0 && key == 0 && work == 1,
           "nothing computed yet");
    expect(place == i, "places in the input");
  }
  read_in_parts(file, snapshot);
  const std::string again = std::filesystem::path(file).replace_filename("again.txt");
  bh::write_bodies(again, snapshot);
  const bh::Snapshot back = bh::read_bodies(again);
  std::filesystem::remove(again);
  expect(back.bodies == snapshot.bodies && back.time == snapshot.time, "text reads back the same");
}

inline bool finite(raytracer::Vec v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

inline bool within(raytracer::Vec v, const raytracer::Box& box) {
  return v.x >= box.low.x && v.y >= box.low.y && v.z >= box.low.z && v.x <= box.high.x &&
         v.y <= box.high.y && v.z <= box.high.z;
}

/// Each surface is in one leaf, and leaves are not too deep for who walks down to them.
class Hierarchy {
 public:
  explicit Hierarchy(const raytracer::Scene& scene)
      : scene_(scene), seen_(scene.surfaces.size()), nodes_(scene.nodes.size()) {}

  void check() {
    expect(scene_.nodes.empty() == scene_.surfaces.empty(), "a root if there are surfaces");
    if (!scene_.nodes.empty()) node(0, 0);
    expect(std::find(seen_.begin(), seen_.end(), false) == seen_.end(), "all surfaces in leaves");
  }

 private:
  void node(std::uint32_t index, int depth) {
    expect(depth < raytracer::deepest, "no path longer than `deepest`");
    expect(index < nodes_.size() && !nodes_[index], "a tree of nodes");
    nodes_[index] = true;
    child(scene_.nodes[index].left, depth);
    child(scene_.nodes[index].right, depth);
  }
  void child(const raytracer::Child& child, int depth) {
    if (child.count == 0) {
      if (child.first != 0) node(child.first, depth + 1);
      return;
    }
    for (std::size_t i = child.first; i < std::size_t{child.first} + child.count; ++i) {
      expect(i < seen_.size() && !seen_[i], "each surface in one leaf");
      seen_[i] = true;
      expect(within(scene_.surfaces[i].a, child.box), "a box around its surfaces");
    }
  }

  const raytracer::Scene& scene_;
  std::vector<bool> seen_;
  std::vector<bool> nodes_;
};

inline void check(const raytracer::Scene& scene) {
  expect(std::min(scene.width, scene.height) >= 1, "a picture");
  const auto& [from, forward, right, up] = scene.camera;
  expect(finite(from) && finite(right) && finite(up), "a camera at some place");
  const auto is_unit = [](raytracer::Vec v) { return std::abs(raytracer::length(v) - 1) < 1e-3F; };
  expect(is_unit(forward), "a direction of length 1");
  for (const auto& material : scene.materials) {
    expect(material.reflect + material.refract <= 1, "no light out of nothing");
    expect(finite(material.color) && finite(material.second), "colours");
  }
  for (const auto& plane : scene.planes)
    expect(plane.material < scene.materials.size() && is_unit(plane.normal) && finite(plane.at),
           "a plane somewhere, of some material");
  for (const auto& surface : scene.surfaces) {
    expect(surface.material < scene.materials.size(), "a surface of some material");
    expect(finite(surface.a) && finite(surface.ab) && finite(surface.ac), "a surface somewhere");
    expect(surface.kind >= raytracer::Surface::sphere &&
               surface.kind < static_cast<std::int64_t>(scene.corners.size()),
           "a surface of some kind");
  }
  for (const auto& [a, b, c] : scene.corners)
    expect(is_unit(a) && is_unit(b) && is_unit(c), "normals of length 1");
  Hierarchy(scene).check();
}

}  // namespace fuzz
