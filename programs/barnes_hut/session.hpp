// The command: options, initial conditions, the run, what is told of it.
#pragma once

#include "programs/barnes_hut/leapfrog.hpp"

namespace bh {

/// Returns the exit code.
int session(int argc, char** argv, const Evaluate& in_parallel, const Evaluate& sequentially);

}  // namespace bh
