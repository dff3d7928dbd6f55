// What pulls stars: groups of neighbours walk the tree together (Barnes 1990).
#pragma once

#include <cstdint>
#include <vector>

#include "programs/galaxy/tree.hpp"

namespace galaxy {

struct Pull {
  Place by;        ///< acceleration
  float work = 0;  ///< stars and cells that acted
};

/// What it took to find some.
struct Effort {
  std::uint64_t quads = 0;  ///< looked at
  std::uint64_t pairs = 0;  ///< that acted, with lanes that have no star
};

/// On each of some stars, in their order. What pulls a star depends on the tree alone, not on who
/// else is asked for.
programs::Plain<Pull> pulls(const std::vector<Star>& stars, const Tree& tree, Effort& effort);

/// The stars after a step: first faster, then farther, as in the report.
std::vector<Star> moved(const std::vector<Star>& stars, const Tree& tree, Effort& effort);

}  // namespace galaxy
