// What no schedule can be faster than.
#pragma once

#include <cstddef>
#include <vector>

#include "profiles/replay/gain.hpp"
#include "profiles/replay/graph.hpp"
#include "profiles/replay/reach.hpp"

namespace replay {

/// What links make of it: the cut of the grid that is the worst.
struct Crossing {
  double seconds = 0;
  double bytes = 0;              ///< that cross in this time, at most
  std::vector<std::size_t> far;  ///< clusters on the other side than the main PE's; none: no link
                                 ///< is what limits
};

/// In seconds.
struct Bound {
  double work = 0;     ///< all work, by all PEs at their speeds, while the far ones can be reached
  double path = 0;     ///< the critical path, on the fastest PE, and the way there and back
  double between = 0;  ///< work that has others before and after it; of a graph only
  Crossing arguments;  ///< of what is given away, to where it is evaluated
  Crossing results;    ///< back

  double seconds() const;
};

/// A PE of speed 1 takes for a piece of work as long as `totals` says.
Bound bound(const Totals& totals, const Reach& reach);
/// With what must cross its links. Each task is evaluated as a whole, by one PE.
Bound bound(const Totals& totals, const Reach& reach, const GainsOf& arguments,
            const GainsOf& results);
Bound bound(const Graph& graph, const Reach& reach);

}  // namespace replay
