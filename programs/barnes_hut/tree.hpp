// The octree: flat cells, eight siblings together, with what the walk needs of each. Of the bodies
// of one shard, a piece of the curve, what is inside of cells that have all their bodies there lies
// in one array of bytes, an image. The cells above, which may have bodies in other shards too, are
// its crown; crowns are merged into one, and the top of the tree is made of that: it is small, and
// everywhere. Here everything is in unit coordinates: the root cube is [0, 1]^3, the total mass
// is 1.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "programs/barnes_hut/hilbert.hpp"

namespace bh {

/// How forces are computed.
struct Settings {
  double theta = 0.5;    ///< opening angle; 0: every pair
  double softening = 0;  ///< Plummer's, in unit coordinates
  bool quadrupole = false;
  bool skip_coincident = true;  ///< pairs at the same place are left out, not just without force
  std::uint32_t leaf = 12;      ///< bodies of a cell that is not divided
  std::uint32_t group = 128;    ///< bodies that share a walk, at most
  std::uint32_t kernel = 0;     ///< see kernels.hpp
};

/// How many of a shard's bodies share a walk: as many in each but the last, and whole vectors.
std::size_t group_size(std::size_t bodies, const Settings& settings);

/// A body as far as the tree needs it.
struct Mass {
  std::uint64_t key;
  double x, y, z, mass;
};

/// Mass, centre of mass, and what is taken about it: the sum of mass times squared distance, the
/// traceless quadrupole moment, the radius.
struct Moments {
  double mass = 0;
  Vec centre;
  double spread = 0;
  double xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;
  double radius = 0;  ///< no body is farther from the centre
  Vec low, high;      ///< the box of the bodies
};

Moments moments_of(std::span<const Mass> bodies);
Moments moments_of(std::span<const Moments> parts);

/// Of masses and quadrupoles in the tree, and of the potentials that come out: see walk.hpp.
inline constexpr double mass_scale = 1.0 / 8;
inline constexpr double quadrupole_scale = 1.0 / 256;
inline constexpr float potential_scale = 1.0F / 4;

/// What is below a cell, where that is no octet.
inline constexpr std::int32_t is_leaf = -1;      ///< bodies
inline constexpr std::int32_t is_domain = -2;    ///< of the top: something in an image
inline constexpr std::int32_t is_missing = -3;   ///< of an image: nobody here will look
inline constexpr std::int32_t is_divided = -4;   ///< of a crown: its octants
inline constexpr std::int32_t is_in_parts = -5;  ///< of a crown: what different shards have of it

/// Up to eight sibling cells.
struct Octet {
  std::array<double, 8> x, y, z;  ///< centres of mass
  std::array<float, 8> mass;
  std::array<float, 8> opening2;         ///< who is nearer than its root has to open the cell
  std::array<std::int32_t, 8> children;  ///< their octet, or is_leaf, is_domain, is_missing
  std::array<std::uint32_t, 8> begin;    ///< of a leaf's bodies; number of a domain
  std::array<std::uint32_t, 8> count;    ///< of bodies
  std::uint32_t cells = 0;
  std::uint32_t unused = 0;
};

/// The quadrupole moments of an octet: xx, yy, zz, xy, xz, yz.
using OctetQuadrupoles = std::array<std::array<float, 8>, 6>;

/// Cells and bodies that lie somewhere else.
struct Cells {
  const Octet* octets = nullptr;
  const OctetQuadrupoles* quadrupoles = nullptr;  ///< none without Settings::quadrupole
};
struct Places {
  const double* x = nullptr;
  const double* y = nullptr;
  const double* z = nullptr;
  const double* mass = nullptr;
  std::uint32_t count = 0;

  Places part(std::size_t begin, std::size_t end) const {
    return {x + begin, y + begin, z + begin, mass + begin, static_cast<std::uint32_t>(end - begin)};
  }
};

using Image = std::vector<unsigned char>;

/// What is in an image.
struct Inside {
  Cells cells;
  Places bodies;
};

/// Refers to it.
Inside open(const Image& image);

/// Where in an image something is: an octet, or a leaf's bodies.
struct Entry {
  std::uint32_t image = 0;  ///< which
  std::int32_t children = is_missing;
  std::uint32_t begin = 0;
  std::uint32_t count = 0;
};

/// A cell of a crown.
struct Cell {
  Moments moments;
  std::uint32_t size = 1;   ///< of its crown, itself included
  std::uint32_t digit = 0;  ///< its place on the curve among its siblings
  Entry inside;             ///< where is_divided or is_in_parts stands, what follows it is below it
};

/// A cell, and after it those below it.
using Crown = std::vector<Cell>;

/// The tree of a shard.
struct Grown {
  Crown crown;
  Image image;
};

/// Of bodies that are sorted by key, one at least.
Grown grow(std::span<const Mass> bodies, const Settings& settings);

/// The crown of two stretches of the curve, of which b's comes behind a's. Images of b are counted
/// behind the `images` of a. (After Singh and others 1995.)
Crown merge_crowns(const Crown& a, std::uint32_t images, const Crown& b);

/// What all walks know. Octet 0 is the root alone.
struct Top {
  std::vector<Octet> octets;
  std::vector<OctetQuadrupoles> quadrupoles;
  std::vector<Entry> domains;  ///< what is below, along the curve
};
Top top_of(const Crown& crown, const Settings& settings);

/// Where bodies are that walk.
struct Box {
  Vec low, high;
};

/// Of one image or several: what who walks in some boxes may look at.
struct Selection {
  std::uint32_t first = 0;     ///< domain
  std::vector<Entry> domains;  ///< that one and those behind it; is_missing where nobody will look
  Image image;
};

/// Of the images that are here, from `first` on.
Selection select(const Crown& crown, std::uint32_t first, std::span<const Inside> images,
                 std::span<const Box> boxes, const Settings& settings);

}  // namespace bh
