// What no schedule can be faster than.
#pragma once

#include <cstdint>
#include <span>

#include "profiles/replay/graph.hpp"

namespace replay {

/// What must go over a link, and how fast it is.
struct Crossing {
  std::uint64_t bytes = 0;
  double bytes_a_second = 0;
};

/// In seconds.
struct Bound {
  double work = 0;      ///< all work, by all PEs at their speeds
  double path = 0;      ///< the critical path, on the fastest PE, with the waiting it can't avoid
  double crossing = 0;  ///< of the slowest link

  double seconds() const;
};

/// `speeds` of all workers, not empty, each more than 0; a PE of speed 1 takes for a piece of work
/// as long as the recording says. `waiting`: round trips on the critical path, in seconds.
Bound bound(const Totals& totals, std::span<const double> speeds, double waiting = 0,
            std::span<const Crossing> crossings = {});

}  // namespace replay
