#include "programs/barnes_hut/tree.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace bh {
namespace {

unsigned digit(std::uint64_t key, int level) {
  return static_cast<unsigned>(key >> (3 * (key_levels - 1 - level))) & 7U;
}

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
  m.low = {std::min(m.low.x, low.x), std::min(m.low.y, low.y), std::min(m.low.z, low.z)};
  m.high = {std::max(m.high.x, high.x), std::max(m.high.y, high.y), std::max(m.high.z, high.z)};
}

// The corner of the box that is farthest from the centre.
double farthest_corner(const Moments& m) {
  const Vec& c = m.centre;
  return norm({std::max(c.x - m.low.x, m.high.x - c.x), std::max(c.y - m.low.y, m.high.y - c.y),
               std::max(c.z - m.low.z, m.high.z - c.z)});
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

// The end of those of sorted keys that share the digit of the first.
std::size_t end_of_digit(std::span<const Mass> bodies, std::size_t begin, std::size_t end,
                         int level) {
  const unsigned first = digit(bodies[begin].key, level);
  while (begin < end && digit(bodies[begin].key, level) == first) ++begin;
  return begin;
}

class DomainBuilder {
 public:
  DomainBuilder(std::span<const Mass> bodies, const Settings& settings)
      : bodies_(bodies), settings_(settings) {
    octets_.reserve(bodies.size() / 8 + 8);
    if (settings.quadrupole) quadrupoles_.reserve(bodies.size() / 8 + 8);
  }

  Image build(int level) {
    Moments root;
    if (is_undivided(bodies_.size(), level))
      root = moments_of(bodies_);
    else
      divide(0, bodies_.size(), level, root);
    return image(root);
  }

 private:
  bool is_undivided(std::size_t count, int level) const {
    return count <= settings_.leaf || level >= key_levels;
  }

  std::int32_t divide(std::size_t begin, std::size_t end, int level, Moments& sum) {
    const auto here = octets_.size();
    octets_.emplace_back();
    if (settings_.quadrupole) quadrupoles_.emplace_back();
    std::array<Moments, 8> parts;
    std::size_t used = 0;
    while (begin < end) {
      const auto stop = end_of_digit(bodies_, begin, end, level);
      Moments& part = parts[used];
      std::int32_t children = is_leaf;
      if (is_undivided(stop - begin, level + 1))
        part = moments_of(bodies_.subspan(begin, stop - begin));
      else
        children = divide(begin, stop, level + 1, part);
      Octet& octet = octets_[here];
      octet.children[used] = children;
      octet.begin[used] = static_cast<std::uint32_t>(begin);
      octet.count[used] = static_cast<std::uint32_t>(stop - begin);
      put_cell(octet, settings_.quadrupole ? &quadrupoles_[here] : nullptr, part, settings_);
      begin = stop;
      ++used;
    }
    sum = moments_of(std::span(parts).first(used));
    return static_cast<std::int32_t>(here);
  }

  Image image(const Moments& root) const;

  std::span<const Mass> bodies_;
  const Settings& settings_;
  std::vector<Octet> octets_;
  std::vector<OctetQuadrupoles> quadrupoles_;
};

// ---- images: a head, octets, quadrupoles, then x, y, z and mass of the bodies -------------------

struct Head {
  Moments root;
  std::uint64_t octets;
  std::uint64_t quadrupoles;
  std::uint64_t bodies;
};

// The walk reads eight bodies at a time.
constexpr std::size_t padding = 8;

std::size_t padded(std::size_t bodies) {
  return (bodies + 2 * padding - 1) / padding * padding;
}

Image DomainBuilder::image(const Moments& root) const {
  const Head head{root, octets_.size(), quadrupoles_.size(), bodies_.size()};
  const auto octet_bytes = octets_.size() * sizeof(Octet);
  const auto quadrupole_bytes = quadrupoles_.size() * sizeof(OctetQuadrupoles);
  const auto row = padded(bodies_.size());
  Image image(sizeof head + octet_bytes + quadrupole_bytes + 4 * row * sizeof(double));
  std::byte* to = image.data();
  std::memcpy(to, &head, sizeof head);
  to += sizeof head;
  if (octet_bytes != 0) std::memcpy(to, octets_.data(), octet_bytes);
  to += octet_bytes;
  if (quadrupole_bytes != 0) std::memcpy(to, quadrupoles_.data(), quadrupole_bytes);
  to += quadrupole_bytes;
  auto* x = reinterpret_cast<double*>(to);
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    x[i] = bodies_[i].x;
    x[i + row] = bodies_[i].y;
    x[i + 2 * row] = bodies_[i].z;
    x[i + 3 * row] = mass_scale * bodies_[i].mass;
  }
  return image;
}

class TopBuilder {
 public:
  TopBuilder(std::span<const Piece> pieces, std::span<const std::uint64_t> keys,
             std::span<const Moments> domains, const Settings& settings)
      : pieces_(pieces), keys_(keys), domains_(domains), settings_(settings) {}

  Top build() {
    const auto root = add_octet();
    add_cell(root, 0, pieces_.size(), 0);
    return std::move(top_);
  }

 private:
  std::size_t add_octet() {
    top_.octets.emplace_back();
    if (settings_.quadrupole) top_.quadrupoles.emplace_back();
    return top_.octets.size() - 1;
  }

  // The cell at this level that holds the domains [begin, end).
  Moments add_cell(std::size_t octet, std::size_t begin, std::size_t end, int level) {
    Moments sum;
    std::int32_t children = is_domain;
    if (end - begin == 1 && pieces_[begin].level == level) {
      sum = domains_[begin];
    } else {
      const auto below = add_octet();
      children = static_cast<std::int32_t>(below);
      std::vector<Moments> parts;
      for (auto at = begin; at < end;) {
        auto stop = at + 1;
        while (stop < end && digit(keys_[stop], level) == digit(keys_[at], level)) ++stop;
        parts.push_back(add_cell(below, at, stop, level + 1));
        at = stop;
      }
      sum = moments_of(parts);
    }
    Octet& here = top_.octets[octet];
    here.children[here.cells] = children;
    here.begin[here.cells] = static_cast<std::uint32_t>(begin);
    here.count[here.cells] = 0;
    put_cell(here, settings_.quadrupole ? &top_.quadrupoles[octet] : nullptr, sum, settings_);
    return sum;
  }

  std::span<const Piece> pieces_;
  std::span<const std::uint64_t> keys_;
  std::span<const Moments> domains_;
  const Settings& settings_;
  Top top_;
};

void cut(std::span<const Keyed> order, Piece piece, std::size_t limit, std::vector<Piece>& pieces) {
  if (piece.end - piece.begin <= limit || piece.level >= key_levels) {
    pieces.push_back(piece);
    return;
  }
  for (auto at = piece.begin; at < piece.end;) {
    const unsigned first = digit(order[at].key, piece.level);
    const auto stop = static_cast<std::size_t>(
        std::partition_point(order.begin() + static_cast<std::ptrdiff_t>(at),
                             order.begin() + static_cast<std::ptrdiff_t>(piece.end),
                             [&](auto each) { return digit(each.key, piece.level) <= first; }) -
        order.begin());
    cut(order, {at, stop, piece.level + 1}, limit, pieces);
    at = stop;
  }
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

Image build_domain(const std::vector<Mass>& bodies, int level, const Settings& settings) {
  return DomainBuilder(bodies, settings).build(level);
}

Domain open(const Image& image) {
  const std::byte* from = image.data();
  const auto* head = reinterpret_cast<const Head*>(from);
  from += sizeof(Head);
  Domain domain;
  domain.root = &head->root;
  domain.divided = head->octets != 0;
  domain.cells.octets = reinterpret_cast<const Octet*>(from);
  from += head->octets * sizeof(Octet);
  if (head->quadrupoles != 0)
    domain.cells.quadrupoles = reinterpret_cast<const OctetQuadrupoles*>(from);
  from += head->quadrupoles * sizeof(OctetQuadrupoles);
  const auto* x = reinterpret_cast<const double*>(from);
  const auto row = padded(head->bodies);
  domain.bodies = {x, x + row, x + 2 * row, x + 3 * row, static_cast<std::uint32_t>(head->bodies)};
  return domain;
}

std::vector<Piece> cut_into_domains(std::span<const Keyed> order, std::size_t limit) {
  std::vector<Piece> pieces;
  cut(order, {0, order.size(), 0}, limit, pieces);
  return pieces;
}

Top build_top(std::span<const Piece> pieces, std::span<const std::uint64_t> first_keys,
              std::span<const Moments> domains, const Settings& settings) {
  return TopBuilder(pieces, first_keys, domains, settings).build();
}

}  // namespace bh
