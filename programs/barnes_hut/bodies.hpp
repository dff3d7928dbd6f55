// Bodies, and the little algebra that they need.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace bh {

struct Vec {
  double x = 0;
  double y = 0;
  double z = 0;

  friend Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend Vec operator-(Vec a, Vec b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend Vec operator*(double s, Vec a) { return {s * a.x, s * a.y, s * a.z}; }
  Vec& operator+=(Vec b) { return *this = *this + b; }
  friend bool operator==(Vec, Vec) = default;
};

inline double dot(Vec a, Vec b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline double norm(Vec a) {
  return std::sqrt(dot(a, a));
}
inline Vec cross(Vec a, Vec b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

inline Vec lower(Vec a, Vec b) {
  return {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)};
}
inline Vec higher(Vec a, Vec b) {
  return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)};
}

/// In units with G = 1. A mass may be zero (a tracer), never negative.
struct Body {
  double mass = 0;
  Vec position;
  Vec velocity;
  Vec acceleration;
  double potential = 0;     ///< of all other bodies, at its place
  std::uint64_t key = 0;    ///< its place on the Peano-Hilbert curve
  std::uint32_t work = 1;   ///< how much acted on it when its acceleration was computed
  std::uint32_t place = 0;  ///< in the input

  friend bool operator==(const Body&, const Body&) = default;
};

using Bodies = std::vector<Body>;

/// What of its numbers can't be computed with, if anything.
std::string fault(const Body& body);

struct Snapshot {
  Bodies bodies;
  double time = 0;  ///< CSV has none
};

}  // namespace bh
