// By how much a run could be shorter, going by its critical path.
#pragma once

#include "profiles/activity.hpp"
#include "profiles/report/path.hpp"

namespace trawl::profile {

/// Each in ns, about, and if nothing else changed: where the path becomes shorter, another one may
/// be the longest; and a spark is taken to be made when its maker is done. What really becomes of a
/// change, a replay tells (trawl-replay, trawl-tune).
struct Shorter {
  double links = 0;    ///< messages half as long under way
  double workers = 0;  ///< waits for a worker half as long: twice the workers, or PEs
  double pieces = 0;  ///< threads of the path in pieces, for workers that were idle: smaller sparks
  double between = 0;  ///< no time from a thread to the next of its worker: larger sparks
};

/// Of the same window. Nothing, if the path is not known.
Shorter shorter(const Path& path, const Activity& activity);

}  // namespace trawl::profile
