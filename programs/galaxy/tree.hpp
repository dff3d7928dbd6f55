// The quadtree (Barnes and Hut 1986): flat cells, up to four siblings together. It is built of all
// stars, as every node of the report builds it, so it depends on nothing but where they are.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "programs/galaxy/curve.hpp"

namespace galaxy {

/// Up to four sibling cells.
struct Quad {
  std::array<float, 4> x{};  ///< centres of mass
  std::array<float, 4> y{};
  std::array<float, 4> mass{};
  std::array<float, 4> opening2{};  ///< squared distance within which a cell has to be opened
  std::array<std::int32_t, 4> children{};  ///< their quad, or `leaf`
  std::array<std::uint32_t, 4> begin{};    ///< of a cell's stars along the curve
  std::array<std::uint32_t, 4> end{};
  std::uint32_t cells = 0;
};
inline constexpr std::int32_t leaf = -1;

/// Stars that walk the tree together, those of a cell: the box around them.
struct Group {
  float x = 0;  ///< centre
  float y = 0;
  float dx = 0;  ///< half of the sides
  float dy = 0;
};

struct Tree {
  std::vector<Quad> quads;  ///< the first has the root alone
  std::vector<float> x;     ///< of the stars along the curve
  std::vector<float> y;
  std::vector<float> mass;
  std::vector<Group> groups;
  std::vector<std::uint32_t> group_of;  ///< by a star's index
};

/// A cell acts as a whole on who is farther than its side over theta.
Tree build_tree(const std::vector<Place>& places, const std::vector<float>& masses, double theta);

}  // namespace galaxy
