// How the processes of a run come together: under mpiexec, by fabric net, or alone.
#pragma once

#include "rts/fabric/joined.hpp"
#include "rts/program.hpp"

namespace trawl {

/// With the others, as whoever has started them has arranged it. Each tells the others which grid
/// it is to rehearse. Throws Error.
fabric::Joined join_others(const Program& program);

/// False: one has other trouble, and will say so. Throws Error if their grids are not one.
bool all_have_our_grid(const fabric::Joined& joined);

}  // namespace trawl
