// What is in a scene, flat: one value that travels to other PEs in one piece.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace raytracer {

struct Vec {
  float x = 0;
  float y = 0;
  float z = 0;
};

inline Vec operator+(Vec a, Vec b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline Vec operator-(Vec a, Vec b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline Vec operator*(Vec a, float s) {
  return {a.x * s, a.y * s, a.z * s};
}
inline float dot(Vec a, Vec b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline Vec cross(Vec a, Vec b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline float length(Vec a) {
  return std::sqrt(dot(a, a));
}
inline Vec unit(Vec a) {
  return a * (1 / length(a));
}

/// Colours are amounts of red, green and blue light, not sRGB.
struct Material {
  Vec color{0.8F, 0.8F, 0.8F};
  Vec second;               ///< the other colour of a checkerboard
  float square = 0;         ///< side of its squares; 0: one colour only
  float specular = 0;       ///< brightness of highlights
  std::int32_t shine = 32;  ///< exponent of highlights
  float reflect = 0;        ///< part of the light that is mirrored
  float refract = 0;        ///< part of the light that goes through
  float ior = 1.5F;         ///< index of refraction
};

struct Light {
  Vec at;
  Vec color{1, 1, 1};
};

struct Plane {
  Vec at;
  Vec normal;  ///< of length 1
  std::uint32_t material = 0;
};

/// A triangle a, a + ab, a + ac, or a sphere of radius ab.x around a.
struct Surface {
  static constexpr std::int32_t flat = -1;
  static constexpr std::int32_t sphere = -2;

  Vec a;
  Vec ab;
  Vec ac;
  std::uint32_t material = 0;
  std::int32_t kind = flat;  ///< flat, sphere, or the index of the normals at a triangle's corners
};

struct Corners {
  Vec a;
  Vec b;
  Vec c;
};

struct Box {
  Vec low{INFINITY, INFINITY, INFINITY};
  Vec high{-INFINITY, -INFINITY, -INFINITY};
};

/// A leaf: `count` surfaces from `first` on; or, if `count` is 0, the node `first`; or nothing, if
/// that is 0 too.
struct Child {
  Box box;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

/// An inner node of the hierarchy.
struct Node {
  Child left;
  Child right;
};

struct Camera {
  Vec from;
  Vec forward;  ///< to the middle of the picture, of length 1
  Vec right;    ///< from the middle to the edge of a square picture
  Vec up;       ///< from the middle to the upper edge
};

struct Scene {
  Camera camera;
  std::array<Vec, 2> sky{};  ///< towards the horizon, and straight up
  Vec ambient;
  std::vector<Light> lights;
  std::vector<Material> materials;
  std::vector<Plane> planes;
  std::vector<Surface> surfaces;  ///< in the order of the leaves
  std::vector<Corners> corners;
  std::vector<Node> nodes;  ///< the root first; none if there are no surfaces
  std::int32_t width = 640;
  std::int32_t height = 480;
};

}  // namespace raytracer
