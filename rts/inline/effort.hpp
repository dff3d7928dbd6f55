// What the workers of this PE have done so far.
#pragma once

#include <cstdint>

namespace trawl::sched {

/// In ns.
struct Effort {
  std::int64_t now = 0;   ///< by the clock of the run
  std::int64_t busy = 0;  ///< of all workers together, until then
};

/// Throws Error outside of a run.
Effort effort_here();

}  // namespace trawl::sched
