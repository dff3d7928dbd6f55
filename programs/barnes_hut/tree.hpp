// The octree: flat cells, eight siblings together, with what the walk needs of each. The tree above
// the domains is small and everybody's; what is inside of a domain is one array of bytes, its
// image, so that it travels in one piece and the collector has nothing to look for in it.
// Here everything is in unit coordinates: the root cube is [0, 1]^3, the total mass is 1.
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
  std::uint32_t group = 128;    ///< bodies that share a walk
  std::uint32_t kernel = 0;     ///< see kernels.hpp
};

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

inline constexpr std::int32_t is_leaf = -1;
inline constexpr std::int32_t is_domain = -2;

/// Up to eight sibling cells.
struct Octet {
  std::array<double, 8> x, y, z;  ///< centres of mass
  std::array<float, 8> mass;
  std::array<float, 8> opening2;         ///< who is nearer than its root has to open the cell
  std::array<std::int32_t, 8> children;  ///< their octet, or is_leaf, or is_domain
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
};

/// A part of the octree with all bodies in it; octet 0 are the children of its root.
struct Domain {
  Cells cells;
  Places bodies;
  const Moments* root = nullptr;
  bool divided = false;  ///< else there are no cells
};

using Image = std::vector<std::byte>;

/// Builds the tree of the bodies of a cell at this level, which are sorted by key.
Image build_domain(const std::vector<Mass>& bodies, int level, const Settings& settings);

/// What is in an image; refers to it.
Domain open(const Image& image);

/// The bodies [begin, end) of a domain's cell.
struct Piece {
  std::size_t begin, end;
  int level;
};

/// The cells that become domains: those with not more than `limit` bodies whose parents have more.
std::vector<Piece> cut_into_domains(std::span<const Keyed> order, std::size_t limit);

/// The tree above the domains. Octet 0 is the root alone.
struct Top {
  std::vector<Octet> octets;
  std::vector<OctetQuadrupoles> quadrupoles;
};
Top build_top(std::span<const Piece> pieces, std::span<const std::uint64_t> first_keys,
              std::span<const Moments> domains, const Settings& settings);

}  // namespace bh
