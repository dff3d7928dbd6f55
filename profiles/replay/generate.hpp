// Trees of tasks that are made while they are evaluated: nothing of them is kept.
#pragma once

#include <cstdint>
#include <string>

#include "profiles/replay/bound.hpp"
#include "profiles/replay/graph.hpp"

namespace replay {

enum class Tree : std::uint8_t {
  none,
  flat,       ///< the root, with `children` leaves
  divide,     ///< a full tree of `depth` levels below the root
  geometric,  ///< UTS: numbers of children vary geometrically about `children`, to that depth
  binomial,   ///< UTS: the root has `roots`, each other `children`, or none
};

struct Shape {
  Tree tree = Tree::none;
  std::uint32_t depth = 0;
  std::uint32_t children = 0;
  std::uint32_t roots = 0;
  double probability = 0;  ///< of children, in a binomial tree
  Nanos work = 0;          ///< of a leaf (flat, divide), or of every task
  double spread = 0;       ///< 0 to 1: work is between (1 - spread) and (1 + spread) times that
  std::uint64_t seed = 1;
};

/// To be called before `trawl::run`, on every PE alike.
void set_shape(const Shape& shape);

/// In a run: the checksum of all tasks.
std::uint64_t grow();

struct Grown {
  Totals totals;
  std::uint64_t sum = 0;  ///< what `grow` should give
};
/// The same without Trawl, and without working.
Grown measure(const Shape& shape);
/// Looks at all of the tree eleven times.
Bound bound(const Shape& shape, const Reach& reach);

}  // namespace replay
