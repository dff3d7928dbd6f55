#include "programs/barnes_hut/cells.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bh {

std::size_t group_size(std::size_t bodies, const Settings& settings) {
  constexpr std::size_t lanes = 16;
  const auto groups = std::max<std::size_t>((bodies + settings.group - 1) / settings.group, 1);
  const auto whole = (bodies + groups - 1) / groups;
  return std::min<std::size_t>((whole + lanes - 1) / lanes * lanes, settings.group);
}

// From where on a cell may act as a whole: its size over theta. As its size counts the mean of its
// root mean square radius and its farthest body's, each so that a full cube has its side. The first
// is what the error grows with; the second bounds it. Monopoles get a little more than that, for
// errors not larger than where the side is taken. Nobody takes a cell that he is in: the distance
// is never less than that of its farthest body.
float opening_distance2(const Moments& m, const Settings& settings) {
  if (settings.theta == 0) return std::numeric_limits<float>::infinity();
  const double rms = m.mass > 0 ? std::sqrt(m.spread / m.mass) : m.radius;
  const double size = rms + m.radius / std::sqrt(3.0);
  const double margin = settings.quadrupole ? 1 : 1.19;
  // Not nearer than single precision can compute a quadrupole.
  constexpr double nearest = 1e-6;
  const double distance = std::max({nearest, m.radius, margin * size / settings.theta});
  return static_cast<float>(distance * distance * (1 + 1e-6));
}

void put_cell(Octet& octet, OctetQuadrupoles* quadrupoles, const Moments& m,
              const Settings& settings) {
  const auto at = octet.cells++;
  octet.x[at] = m.centre.x;
  octet.y[at] = m.centre.y;
  octet.z[at] = m.centre.z;
  octet.mass[at] = static_cast<float>(mass_scale * m.mass);
  octet.opening2[at] = opening_distance2(m, settings);
  if (quadrupoles == nullptr) return;
  const double q[] = {m.xx, m.yy, m.zz, m.xy, m.xz, m.yz};
  for (std::size_t i = 0; i < 6; ++i)
    (*quadrupoles)[i][at] = static_cast<float>(quadrupole_scale * q[i]);
}

// The walk reads eight bodies at a time.
std::size_t padded(std::size_t bodies) {
  constexpr std::size_t padding = 8;
  return (bodies + 2 * padding - 1) / padding * padding;
}

Inside open(const Image& image) {
  const unsigned char* from = image.data();
  ImageHead head;
  std::memcpy(&head, from, sizeof head);
  from += sizeof head;
  Inside inside;
  inside.cells.octets = reinterpret_cast<const Octet*>(from);
  from += head.octets * sizeof(Octet);
  if (head.quadrupoles != 0)
    inside.cells.quadrupoles = reinterpret_cast<const OctetQuadrupoles*>(from);
  from += head.quadrupoles * sizeof(OctetQuadrupoles);
  const auto* x = reinterpret_cast<const double*>(from);
  const auto row = padded(head.bodies);
  inside.bodies = {x, x + row, x + 2 * row, x + 3 * row, static_cast<std::uint32_t>(head.bodies)};
  return inside;
}

}  // namespace bh
