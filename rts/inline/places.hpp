// Where thunks can be placed: what a skeleton knows of the PEs.
#pragma once

#include <cstdint>
#include <vector>

#include "node.hpp"

namespace trawl::sched {

/// A PE, as a skeleton sees it.
struct Site {
  int pe = 0;
  double strength = 1;  ///< speed x workers, relative, > 0
  int workers = 1;
};

/// The living PEs, in the order of their clusters. Throws Error outside of a run.
std::vector<Site> sites();
/// The PE under the calling code. Throws Error outside of a run.
int pe_here();
/// How many workers that has.
int workers_here();

/// Has an unevaluated thunk evaluated by that PE; its value comes home unasked. Of a thunk that is
/// not `Placed` (code.hpp) it makes a spark there. If that PE is lost, this one evaluates it.
/// Throws Error outside of a run.
void place(heap::Node* node, int pe);

}  // namespace trawl::sched
