// The Morton curve through a square: every cell of a quadtree is a piece of it.
#pragma once

#include <cstdint>
#include <span>

#include "programs/common/plain.hpp"
#include "programs/galaxy/stars.hpp"

namespace galaxy {

inline constexpr unsigned levels = 22;  ///< of the tree: two bits of a key each

/// A square that holds all stars.
struct Square {
  double x = 0;
  double y = 0;
  double side = 1;

  explicit Square(const Box& box);
};

/// Where a place is on the curve.
std::uint64_t key(Place p, const Square& square);

struct Keyed {
  std::uint64_t key = 0;
  std::uint32_t index = 0;
};

/// All places along the curve; those with equal keys as they were.
programs::Plain<Keyed> along_curve(std::span<const Place> places, const Square& square);

}  // namespace galaxy
