#include <algorithm>
#include <cmath>

#include "programs/barnes_hut/tree.hpp"

namespace bh {
namespace {

// Adds the second moments of `mass` at `d` from the centre, in traceless form.
void add_quadrupole(Moments& m, double mass, Vec d) {
  const double d2 = dot(d, d);
  m.spread += mass * d2;
  m.xx += mass * (3 * d.x * d.x - d2);
  m.yy += mass * (3 * d.y * d.y - d2);
  m.zz += mass * (3 * d.z * d.z - d2);
  m.xy += mass * 3 * d.x * d.y;
  m.xz += mass * 3 * d.x * d.z;
  m.yz += mass * 3 * d.y * d.z;
}

void widen(Moments& m, Vec low, Vec high) {
  m.low = lower(m.low, low);
  m.high = higher(m.high, high);
}

// The corner of the box that is farthest from the centre.
double farthest_corner(const Moments& m) {
  const Vec& c = m.centre;
  return norm({std::max(c.x - m.low.x, m.high.x - c.x), std::max(c.y - m.low.y, m.high.y - c.y),
               std::max(c.z - m.low.z, m.high.z - c.z)});
}

}  // namespace

Moments moments_of(std::span<const Mass> bodies) {
  Moments m;
  Vec sum;
  const Mass& first = bodies.front();
  m.low = m.high = {first.x, first.y, first.z};
  for (const auto& b : bodies) {
    const Vec p{b.x, b.y, b.z};
    m.mass += b.mass;
    sum += b.mass * p;
    widen(m, p, p);
  }
  m.centre = m.mass > 0 ? (1 / m.mass) * sum : 0.5 * (m.low + m.high);
  double radius2 = 0;
  for (const auto& b : bodies) {
    const Vec d = Vec{b.x, b.y, b.z} - m.centre;
    radius2 = std::max(radius2, dot(d, d));
    add_quadrupole(m, b.mass, d);
  }
  m.radius = std::sqrt(radius2);
  return m;
}

Moments moments_of(std::span<const Moments> parts) {
  if (parts.size() == 1) return parts.front();
  Moments m;
  Vec sum;
  m.low = parts.front().low;
  m.high = parts.front().high;
  for (const auto& part : parts) {
    m.mass += part.mass;
    sum += part.mass * part.centre;
    widen(m, part.low, part.high);
  }
  m.centre = m.mass > 0 ? (1 / m.mass) * sum : 0.5 * (m.low + m.high);
  for (const auto& part : parts) {
    const Vec d = part.centre - m.centre;
    m.radius = std::max(m.radius, norm(d) + part.radius);
    add_quadrupole(m, part.mass, d);
    m.spread += part.spread;
    m.xx += part.xx;
    m.yy += part.yy;
    m.zz += part.zz;
    m.xy += part.xy;
    m.xz += part.xz;
    m.yz += part.yz;
  }
  m.radius = std::min(m.radius, farthest_corner(m));
  return m;
}

}  // namespace bh
