// The walk and the force loops, for vectors of any kind. Bodies that are neighbours on the curve
// walk the tree together (Barnes 1990): cells that are far enough from all of them, and the bodies
// of leaves that aren't, go into lists, relative to the group's centre in single precision; then
// the loops sum over the lists, a body in each lane. Included by a file for each kind of vectors,
// which is compiled for its instructions, so all of it is in an unnamed namespace.
//
// `Lanes` gives Vector, its width, load, broadcast, zero_where_zero, twice_inverse_root (2 / sqrt
// to nearly single precision), and append_taken and append_bodies, which fill the lists.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "programs/barnes_hut/kernels.hpp"
#include "programs/common/plain.hpp"

namespace bh {
namespace {

/// Bodies and cells that act on a group.
class List {
 public:
  explicit List(std::size_t fields) : rows_(fields), capacity_(8192) {
    for (auto& row : rows_) row.resize(capacity_);
  }
  void clear() { size_ = 0; }
  std::size_t size() const { return size_; }
  void add(std::size_t count) { size_ += count; }
  /// Room to write 16 more, whether they stay or not.
  void reserve_some() {
    if (size_ + 16 <= capacity_) return;
    capacity_ *= 2;
    for (auto& row : rows_) row.resize(capacity_);
  }
  float* end(std::size_t field) { return rows_[field].data() + size_; }
  const float* row(std::size_t field) const { return rows_[field].data(); }

 private:
  std::vector<programs::Plain<float>> rows_;
  std::size_t size_ = 0;
  std::size_t capacity_;
};

enum Field : std::size_t { field_x, field_y, field_z, field_mass, field_quadrupole };

/// The box around the bodies of a group.
struct Group {
  double x, y, z;    // centre
  float dx, dy, dz;  // half of the sides
};

// NOLINTNEXTLINE(misc-definitions-in-headers): each kind of processor has its own
Group group_of(const Places& bodies, std::size_t begin, std::size_t end) {
  const auto middle = [&](const double* p, float& half) {
    const auto [low, high] = std::minmax_element(p + begin, p + end);
    const double centre = 0.5 * (*low + *high);
    // Not smaller than it is, for all the rounding.
    half = static_cast<float>(0.5 * (*high - *low) * (1 + 1e-6));
    return centre;
  };
  Group group{};
  group.x = middle(bodies.x, group.dx);
  group.y = middle(bodies.y, group.dy);
  group.z = middle(bodies.z, group.dz);
  return group;
}

/// What acts on a group. A thread keeps its lists: fresh memory takes longer than filling it.
struct Lists {
  List bodies{4};
  List cells{10};  ///< with quadrupoles; without, they are among the bodies

  static Lists& here() {
    thread_local Lists lists;
    return lists;
  }
};

template <class Lanes>
class Walk {
 public:
  Walk(const View& view, const Settings& settings)
      : view_(view),
        top_{{view.top->octets.data(), view.top->quadrupoles.data()}, {}},
        quadrupole_(settings.quadrupole) {}

  /// Fills the lists for a group.
  void run(const Group& group) {
    bodies_.clear();
    cells_.clear();
    todo_.push_back({&top_, 0});
    while (!todo_.empty()) {
      const Step step = todo_.back();
      todo_.pop_back();
      look(step, group);
    }
  }

  const List& bodies() const { return bodies_; }
  const List& cells() const { return cells_; }

 private:
  struct Step {
    const Inside* in;
    std::int32_t octet;
  };

  void look(const Step& step, const Group& group) {
    const Octet& octet = step.in->cells.octets[step.octet];
    List& list = quadrupole_ ? cells_ : bodies_;
    list.reserve_some();
    unsigned opened = Lanes::append_taken(
        octet, quadrupole_ ? &step.in->cells.quadrupoles[step.octet] : nullptr, group, list);
    for (; opened != 0; opened &= opened - 1) {
      const auto cell = static_cast<std::size_t>(__builtin_ctz(opened));
      if (octet.children[cell] == is_domain) {
        const Entry& domain = view_.domains[octet.begin[cell]];
        enter(view_.images[domain.image], domain.children, domain.begin, domain.count, group);
      } else {
        enter(*step.in, octet.children[cell], octet.begin[cell], octet.count[cell], group);
      }
    }
  }

  void enter(const Inside& in, std::int32_t children, std::size_t begin, std::size_t count,
             const Group& group) {
    if (children >= 0) {
      const Octet* octet = in.cells.octets + children;
      for (std::size_t at = 0; at < sizeof(Octet); at += 64)
        __builtin_prefetch(reinterpret_cast<const char*>(octet) + at);
      todo_.push_back({&in, children});
    } else if (children == is_leaf) {
      append(in.bodies, begin, count, group);
    } else {
      throw std::logic_error("a walk opens a cell that is not in its locally essential tree");
    }
  }

  void append(const Places& from, std::size_t begin, std::size_t count, const Group& group) {
    for (std::size_t at = 0; at < count; at += 8) {
      bodies_.reserve_some();
      Lanes::append_bodies(from, begin + at, group, bodies_);
      bodies_.add(std::min<std::size_t>(8, count - at));
    }
  }

  View view_;
  Inside top_;
  List& bodies_ = Lists::here().bodies;
  List& cells_ = Lists::here().cells;
  bool quadrupole_;
  std::vector<Step> todo_;
};

// ---- the force loops ---------------------------------------------------------------------------

// In lists, masses and quadrupoles have the factors of tree.hpp: with 2/r instead of 1/r in the
// loops, accelerations come out right and potentials only have to be scaled at the end.

/// Bodies in lanes: their places relative to the group's centre, and what acts on them.
template <class Lanes>
struct Row {
  using Vector = typename Lanes::Vector;
  Vector x, y, z;
  Vector ax{}, ay{}, az{}, potential{};
};

/// phi = -m/r
template <class Lanes, bool Skip, std::size_t Rows>
[[gnu::always_inline]] inline void sum_bodies(Row<Lanes> (&rows)[Rows], const List& list,
                                              float softening2) {
  using Vector = typename Lanes::Vector;
  const float* x = list.row(field_x);
  const float* y = list.row(field_y);
  const float* z = list.row(field_z);
  const float* mass = list.row(field_mass);
  const Vector soft = Lanes::broadcast(softening2);
  for (std::size_t j = 0; j < list.size(); ++j) {
    const Vector xj = Lanes::broadcast(x[j]);
    const Vector yj = Lanes::broadcast(y[j]);
    const Vector zj = Lanes::broadcast(z[j]);
    const Vector mj = Lanes::broadcast(mass[j]);
#pragma GCC unroll 4
    for (std::size_t r = 0; r < Rows; ++r) {
      Row<Lanes>& row = rows[r];
      const Vector dx = xj - row.x;
      const Vector dy = yj - row.y;
      const Vector dz = zj - row.z;
      Vector root;
      if constexpr (Skip) {
        const Vector d2 = dx * dx + dy * dy + dz * dz;
        root = Lanes::zero_where_zero(d2, Lanes::twice_inverse_root(d2 + soft));
      } else {
        root = Lanes::twice_inverse_root(dz * dz + (dy * dy + (dx * dx + soft)));
      }
      const Vector phi = mj * root;
      const Vector force = phi * (root * root);
      row.potential += phi;
      row.ax += force * dx;
      row.ay += force * dy;
      row.az += force * dz;
    }
  }
}

/// phi = -m/r - (d.Q.d) / 2 r^5, where d points from the body to the cell.
template <class Lanes, std::size_t Rows>
[[gnu::always_inline]] inline void sum_cells(Row<Lanes> (&rows)[Rows], const List& list,
                                             float softening2) {
  using Vector = typename Lanes::Vector;
  const Vector soft = Lanes::broadcast(softening2);
  const Vector five = Lanes::broadcast(5);
  const Vector eight = Lanes::broadcast(8);
  for (std::size_t j = 0; j < list.size(); ++j) {
    const auto of = [&](std::size_t field) { return Lanes::broadcast(list.row(field)[j]); };
    const Vector xj = of(field_x), yj = of(field_y), zj = of(field_z), mj = of(field_mass);
    const Vector xx = of(field_quadrupole), yy = of(field_quadrupole + 1),
                 zz = of(field_quadrupole + 2), xy = of(field_quadrupole + 3),
                 xz = of(field_quadrupole + 4), yz = of(field_quadrupole + 5);
#pragma GCC unroll 4
    for (std::size_t r = 0; r < Rows; ++r) {
      Row<Lanes>& row = rows[r];
      const Vector dx = xj - row.x;
      const Vector dy = yj - row.y;
      const Vector dz = zj - row.z;
      const Vector root = Lanes::twice_inverse_root(dz * dz + (dy * dy + (dx * dx + soft)));
      const Vector root2 = root * root;
      const Vector root5 = root * (root2 * root2);
      const Vector qx = xx * dx + xy * dy + xz * dz;
      const Vector qy = xy * dx + yy * dy + yz * dz;
      const Vector qz = xz * dx + yz * dy + zz * dz;
      const Vector monopole = mj * root;
      const Vector quadrupole = (qx * dx + qy * dy + qz * dz) * root5;
      row.potential += monopole + quadrupole;
      const Vector along = (monopole + quadrupole * five) * root2;
      const Vector across = root5 * eight;
      row.ax += along * dx - across * qx;
      row.ay += along * dy - across * qy;
      row.az += along * dz - across * qz;
    }
  }
}

/// The bodies of a group, relative to its centre; lanes that are left over are at the centre.
template <class Lanes>
class Targets {
 public:
  void load(const Places& bodies, std::size_t begin, std::size_t end, const Group& group) {
    const auto padded = (end - begin + Lanes::width - 1) / Lanes::width * Lanes::width;
    for (auto* row : {&x_, &y_, &z_}) row->assign(padded, 0);
    for (auto i = begin; i < end; ++i) {
      x_[i - begin] = static_cast<float>(bodies.x[i] - group.x);
      y_[i - begin] = static_cast<float>(bodies.y[i] - group.y);
      z_[i - begin] = static_cast<float>(bodies.z[i] - group.z);
    }
  }

  template <bool Skip>
  void sum(const Walk<Lanes>& walk, float softening2, Force* forces, std::size_t count) const {
    std::size_t at = 0;
    for (; at + Lanes::width < count; at += 2 * Lanes::width)
      sum_rows<Skip, 2>(walk, softening2, at, forces, count);
    if (at < count) sum_rows<Skip, 1>(walk, softening2, at, forces, count);
  }

 private:
  template <bool Skip, std::size_t Rows>
  void sum_rows(const Walk<Lanes>& walk, float softening2, std::size_t at, Force* forces,
                std::size_t count) const {
    Row<Lanes> rows[Rows];
    for (std::size_t r = 0; r < Rows; ++r) {
      const auto from = at + r * Lanes::width;
      rows[r].x = Lanes::load(x_.data() + from);
      rows[r].y = Lanes::load(y_.data() + from);
      rows[r].z = Lanes::load(z_.data() + from);
    }
    sum_bodies<Lanes, Skip>(rows, walk.bodies(), softening2);
    if (walk.cells().size() != 0) sum_cells<Lanes>(rows, walk.cells(), softening2);
    for (std::size_t r = 0; r < Rows; ++r)
      for (std::size_t lane = 0; lane < Lanes::width; ++lane) {
        const auto i = at + r * Lanes::width + lane;
        if (i == count) return;
        forces[i] = {rows[r].ax[lane], rows[r].ay[lane], rows[r].az[lane],
                     -rows[r].potential[lane] / potential_scale};
      }
  }

  programs::Plain<float> x_, y_, z_;
};

template <class Lanes>
Forces forces_by(const View& view, const Places& bodies, std::size_t size,
                 const Settings& settings) {
  Forces result;
  // Nearer than this, single precision ends; it only matters without softening.
  const float softening2 =
      std::max(static_cast<float>(settings.softening * settings.softening), 1e-24F);
  result.forces.resize(bodies.count);
  Walk<Lanes> walk(view, settings);
  Targets<Lanes> targets;
  for (std::size_t begin = 0; begin < bodies.count; begin += size) {
    const auto end = std::min<std::size_t>(begin + size, bodies.count);
    const Group group = group_of(bodies, begin, end);
    walk.run(group);
    targets.load(bodies, begin, end, group);
    Force* forces = result.forces.data() + begin;
    if (settings.skip_coincident)
      targets.template sum<true>(walk, softening2, forces, end - begin);
    else
      targets.template sum<false>(walk, softening2, forces, end - begin);
    result.acted.push_back(static_cast<std::uint32_t>(walk.bodies().size() + walk.cells().size()));
  }
  return result;
}

/// Appends one cell of an octet.
inline void append_cell(const Octet& octet, const OctetQuadrupoles* quadrupoles, std::size_t cell,
                        const Group& group, List& list) {
  *list.end(field_x) = static_cast<float>(octet.x[cell] - group.x);
  *list.end(field_y) = static_cast<float>(octet.y[cell] - group.y);
  *list.end(field_z) = static_cast<float>(octet.z[cell] - group.z);
  *list.end(field_mass) = octet.mass[cell];
  if (quadrupoles != nullptr)
    for (std::size_t i = 0; i < 6; ++i) *list.end(field_quadrupole + i) = (*quadrupoles)[i][cell];
  list.add(1);
}

/// Fills the lists for vectors that can't do better. append_taken returns which cells have to be
/// opened.
struct OneByOne {
  [[gnu::always_inline]] static unsigned append_taken(const Octet& octet,
                                                      const OctetQuadrupoles* quadrupoles,
                                                      const Group& group, List& list) {
    std::array<float, 8> distance2;
    for (std::size_t i = 0; i < 8; ++i) {
      const float dx = std::max(std::abs(static_cast<float>(octet.x[i] - group.x)) - group.dx, 0.F);
      const float dy = std::max(std::abs(static_cast<float>(octet.y[i] - group.y)) - group.dy, 0.F);
      const float dz = std::max(std::abs(static_cast<float>(octet.z[i] - group.z)) - group.dz, 0.F);
      distance2[i] = dx * dx + dy * dy + dz * dz;
    }
    unsigned opened = 0;
    for (std::size_t i = 0; i < octet.cells; ++i) {
      if (distance2[i] > octet.opening2[i])
        append_cell(octet, quadrupoles, i, group, list);
      else
        opened |= 1U << i;
    }
    return opened;
  }

  [[gnu::always_inline]] static void append_bodies(const Places& from, std::size_t begin,
                                                   const Group& group, List& list) {
    float* x = list.end(field_x);
    float* y = list.end(field_y);
    float* z = list.end(field_z);
    float* mass = list.end(field_mass);
    for (std::size_t i = 0; i < 8; ++i) {
      x[i] = static_cast<float>(from.x[begin + i] - group.x);
      y[i] = static_cast<float>(from.y[begin + i] - group.y);
      z[i] = static_cast<float>(from.z[begin + i] - group.z);
      mass[i] = static_cast<float>(from.mass[begin + i]);
    }
  }
};

}  // namespace
}  // namespace bh
