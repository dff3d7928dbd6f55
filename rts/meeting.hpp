// How the processes of a run come together: under mpiexec, by fabric net, or alone.
#pragma once

#include "rts/fabric/joined.hpp"
#include "rts/program.hpp"

namespace trawl {

/// Has somebody said that processes are to come together by fabric net? Throws Error if he also
/// says that they are not.
bool goes_by_net(const Options& options);

/// With the others, as whoever has started them has arranged it. Each tells the others which grid
/// it is to rehearse. Throws Error.
fabric::Joined join_others(const Program& program);

/// False: one has other trouble, and will say so. Throws Error if their grids are not one.
bool all_have_our_grid(const fabric::Joined& joined);

}  // namespace trawl
