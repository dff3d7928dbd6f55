// A whole run of a program on a described grid, in this process (--trawl:simulate).
#pragma once

#include "rts/program.hpp"

namespace trawl {

/// Returns the root's code, or that of what went wrong. Throws Error (exit code 2) for a grid file
/// that can't be read, and where several processes were started.
int run_simulated(Program& program, const Root& root);

}  // namespace trawl
