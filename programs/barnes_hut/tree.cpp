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
  m.low = lower(m.low, low);
  m.high = higher(m.high, high);
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

// ---- images: a head, octets, quadrupoles, then x, y, z and mass of the bodies -------------------

struct Head {
  std::uint64_t octets;
  std::uint64_t quadrupoles;
  std::uint64_t bodies;
  std::uint64_t unused;
};

// The walk reads eight bodies at a time.
constexpr std::size_t padding = 8;

std::size_t padded(std::size_t bodies) {
  return (bodies + 2 * padding - 1) / padding * padding;
}

/// An image whose bodies are still to be written, by rows.
class NewImage {
 public:
  NewImage(std::span<const Octet> octets, std::span<const OctetQuadrupoles> quadrupoles,
           std::size_t bodies)
      : row_(padded(bodies)) {
    const Head head{octets.size(), quadrupoles.size(), bodies, 0};
    bytes_.resize(sizeof head + octets.size_bytes() + quadrupoles.size_bytes() +
                  4 * row_ * sizeof(double));
    std::byte* to = bytes_.data();
    const auto put = [&to](const void* from, std::size_t size) {
      if (size != 0) std::memcpy(to, from, size);
      to += size;
    };
    put(&head, sizeof head);
    put(octets.data(), octets.size_bytes());
    put(quadrupoles.data(), quadrupoles.size_bytes());
    at_ = reinterpret_cast<double*>(to);
  }
  /// `mass` has its factor.
  void add(double x, double y, double z, double mass) {
    at_[0] = x;
    at_[row_] = y;
    at_[2 * row_] = z;
    at_[3 * row_] = mass;
    ++at_;
  }
  Image take() && { return std::move(bytes_); }

 private:
  std::size_t row_;
  Image bytes_;
  double* at_;
};

// ---- the tree of a shard ------------------------------------------------------------------------

class Grower {
 public:
  Grower(std::span<const Mass> bodies, const Settings& settings)
      : bodies_(bodies), settings_(settings) {
    octets_.reserve(bodies.size() / 8 + 8);
    if (settings.quadrupole) quadrupoles_.reserve(bodies.size() / 8 + 8);
  }

  Grown grow() {
    add_cell(0, bodies_.size(), 0);
    NewImage image(octets_, quadrupoles_, bodies_.size());
    for (const auto& b : bodies_) image.add(b.x, b.y, b.z, mass_scale * b.mass);
    return {std::move(crown_), std::move(image).take()};
  }

 private:
  bool is_undivided(std::size_t count, int level) const {
    return count <= settings_.leaf || level >= key_levels;
  }

  // A cell of the crown, with the bodies [begin, end). With the first or the last of all, it may
  // have bodies in other shards.
  void add_cell(std::size_t begin, std::size_t end, int level) {
    const auto here = crown_.size();
    crown_.emplace_back();
    crown_[here].digit = level == 0 ? 0 : digit(bodies_[begin].key, level - 1);
    Entry inside{0, is_leaf, static_cast<std::uint32_t>(begin),
                 static_cast<std::uint32_t>(end - begin)};
    Moments moments;
    if (is_undivided(end - begin, level)) {
      moments = moments_of(bodies_.subspan(begin, end - begin));
    } else if (begin != 0 && end != bodies_.size()) {
      inside.children = divide(begin, end, level, moments);
    } else {
      inside.children = is_divided;
      std::vector<Moments> parts;
      for (auto at = begin; at < end;) {
        const auto stop = end_of_digit(bodies_, at, end, level);
        const auto child = crown_.size();
        add_cell(at, stop, level + 1);
        parts.push_back(crown_[child].moments);
        at = stop;
      }
      moments = moments_of(parts);
    }
    Cell& cell = crown_[here];
    cell.moments = moments;
    cell.inside = inside;
    cell.size = static_cast<std::uint32_t>(crown_.size() - here);
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

  std::span<const Mass> bodies_;
  const Settings& settings_;
  Crown crown_;
  std::vector<Octet> octets_;
  std::vector<OctetQuadrupoles> quadrupoles_;
};

// ---- crowns -------------------------------------------------------------------------------------

class Merger {
 public:
  Merger(const Crown& a, std::uint32_t images, const Crown& b) : a_(a), b_(b), images_(images) {
    merged_.reserve(a.size() + b.size());
  }

  Crown merge() {
    merge_cells(0, 0);
    return std::move(merged_);
  }

 private:
  static bool is_above(const Cell& cell) { return cell.inside.children == is_divided; }

  void copy_a(std::size_t cell) {
    const auto from = a_.begin() + static_cast<std::ptrdiff_t>(cell);
    merged_.insert(merged_.end(), from, from + a_[cell].size);
  }
  void copy_b(std::size_t cell) {
    for (auto i = cell; i < cell + b_[cell].size; ++i) {
      merged_.push_back(b_[i]);
      merged_.back().inside.image += images_;
    }
  }

  // What a and b have of the same cell. Where one does not divide it, it is a cell beside the
  // other's.
  void merge_cells(std::size_t a, std::size_t b) {
    const auto here = merged_.size();
    merged_.emplace_back();
    merged_[here].digit = a_[a].digit;
    if (is_above(a_[a]) && is_above(b_[b])) {
      merged_[here].inside.children = is_divided;
      merge_octants(a, b);
    } else {
      merged_[here].inside.children = is_in_parts;
      copy_a(a);
      copy_b(b);
    }
    std::vector<Moments> parts;
    for (auto i = here + 1; i < merged_.size(); i += merged_[i].size)
      parts.push_back(merged_[i].moments);
    merged_[here].moments = moments_of(parts);
    merged_[here].size = static_cast<std::uint32_t>(merged_.size() - here);
  }

  void merge_octants(std::size_t a, std::size_t b) {
    auto next = b + 1;
    for (auto i = a + 1; i < a + a_[a].size; i += a_[i].size) {
      const bool last = i + a_[i].size == a + a_[a].size;
      if (last && a_[i].digit == b_[next].digit) {
        merge_cells(i, next);
        next += b_[next].size;
      } else {
        copy_a(i);
      }
    }
    for (; next < b + b_[b].size; next += b_[next].size) copy_b(next);
  }

  const Crown& a_;
  const Crown& b_;
  std::uint32_t images_;
  Crown merged_;
};

bool is_inside(const Cell& cell) {
  return cell.inside.children >= 0 || cell.inside.children == is_leaf;
}

class TopBuilder {
 public:
  TopBuilder(const Crown& crown, const Settings& settings) : crown_(crown), settings_(settings) {}

  Top build() {
    add_cell(add_octet(), 0);
    return std::move(top_);
  }

 private:
  std::size_t add_octet() {
    top_.octets.emplace_back();
    if (settings_.quadrupole) top_.quadrupoles.emplace_back();
    return top_.octets.size() - 1;
  }

  void add_cell(std::size_t octet, std::size_t at) {
    const Cell& cell = crown_[at];
    Octet& siblings = top_.octets[octet];
    const auto place = siblings.cells;
    siblings.begin[place] = siblings.count[place] = 0;
    put_cell(siblings, settings_.quadrupole ? &top_.quadrupoles[octet] : nullptr, cell.moments,
             settings_);
    if (is_inside(cell)) {
      siblings.children[place] = is_domain;
      siblings.begin[place] = static_cast<std::uint32_t>(top_.domains.size());
      top_.domains.push_back(cell.inside);
      return;
    }
    const auto below = add_octet();
    top_.octets[octet].children[place] = static_cast<std::int32_t>(below);
    for (auto i = at + 1; i < at + cell.size; i += crown_[i].size) add_cell(below, i);
  }

  const Crown& crown_;
  const Settings& settings_;
  Top top_;
};

// ---- locally essential trees --------------------------------------------------------------------

// How far at least the walk takes a place to be from a box, whatever its rounding: relative places
// in single precision are off by a part in 10^7 of their size.
double least_distance(double x, double low, double high) {
  const double distance = std::max({low - x, x - high, 0.0});
  return std::max(0.0, distance - 1e-6 * (distance + (high - low)));
}

class Selector {
 public:
  Selector(std::span<const Box> boxes, const Settings& settings)
      : boxes_(boxes), settings_(settings) {}

  /// A domain; what may be looked at of it is copied.
  Entry add(const Moments& moments, const Entry& domain, const Inside& image) {
    image_ = &image;
    if (!may_be_opened(moments.centre, opening_distance2(moments, settings_))) return {};
    if (domain.children == is_leaf)
      return {0, is_leaf, add_bodies(domain.begin, domain.count), domain.count};
    return {0, add_octet(domain.children), 0, 0};
  }

  Image image() && {
    NewImage image(octets_, quadrupoles_, bodies_.size());
    for (const auto& b : bodies_) image.add(b.x, b.y, b.z, b.mass);
    return std::move(image).take();
  }

 private:
  bool may_be_opened(Vec centre, float opening2) {
    const auto reaches = [&](const Box& box) {
      const Vec d{least_distance(centre.x, box.low.x, box.high.x),
                  least_distance(centre.y, box.low.y, box.high.y),
                  least_distance(centre.z, box.low.z, box.high.z)};
      return dot(d, d) <= static_cast<double>(opening2) * (1 + 1e-6);
    };
    // Who is near one cell of an octet is often near the next.
    if (latest_ < boxes_.size() && reaches(boxes_[latest_])) return true;
    for (std::size_t i = 0; i < boxes_.size(); ++i)
      if (reaches(boxes_[i])) {
        latest_ = i;
        return true;
      }
    return false;
  }

  std::uint32_t add_bodies(std::uint32_t begin, std::uint32_t count) {
    const auto at = static_cast<std::uint32_t>(bodies_.size());
    const Places& from = image_->bodies;
    for (auto i = begin; i < begin + count; ++i)
      bodies_.push_back({0, from.x[i], from.y[i], from.z[i], from.mass[i]});
    return at;
  }

  std::int32_t add_octet(std::int32_t from) {
    const auto here = octets_.size();
    const auto old = static_cast<std::size_t>(from);
    octets_.push_back(image_->cells.octets[old]);
    if (settings_.quadrupole) quadrupoles_.push_back(image_->cells.quadrupoles[old]);
    const Octet octet = octets_.back();
    for (std::size_t i = 0; i < octet.cells; ++i) {
      auto children = is_missing;
      auto begin = octet.begin[i];
      if (may_be_opened({octet.x[i], octet.y[i], octet.z[i]}, octet.opening2[i])) {
        if (octet.children[i] == is_leaf) {
          children = is_leaf;
          begin = add_bodies(begin, octet.count[i]);
        } else {
          children = add_octet(octet.children[i]);
        }
      }
      octets_[here].children[i] = children;
      octets_[here].begin[i] = begin;
    }
    return static_cast<std::int32_t>(here);
  }

  std::span<const Box> boxes_;
  const Settings& settings_;
  const Inside* image_ = nullptr;
  std::size_t latest_ = 0;
  std::vector<Octet> octets_;
  std::vector<OctetQuadrupoles> quadrupoles_;
  std::vector<Mass> bodies_;
};

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

Inside open(const Image& image) {
  const std::byte* from = image.data();
  Head head;
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

Grown grow(std::span<const Mass> bodies, const Settings& settings) {
  return Grower(bodies, settings).grow();
}

Crown merge_crowns(const Crown& a, std::uint32_t images, const Crown& b) {
  return Merger(a, images, b).merge();
}

Top top_of(const Crown& crown, const Settings& settings) {
  return TopBuilder(crown, settings).build();
}

Selection select(const Crown& crown, std::uint32_t first, std::span<const Inside> images,
                 std::span<const Box> boxes, const Settings& settings) {
  Selection selection;
  Selector selector(boxes, settings);
  for (const auto& cell : crown) {
    if (!is_inside(cell)) continue;
    const auto image = cell.inside.image;
    if (image < first) {
      ++selection.first;
    } else if (image - first < images.size()) {
      selection.domains.push_back(selector.add(cell.moments, cell.inside, images[image - first]));
    }
  }
  selection.image = std::move(selector).image();
  return selection;
}

}  // namespace bh
