// What must cross the links of a grid, and how long that takes.
#pragma once

#include "profiles/replay/bound.hpp"

namespace replay {

/// Of so many seconds of work at speed 1. `reach`: with the bandwidths of the way on which things
/// are sent away from the main PE.
///
/// Whatever set S of clusters has the main PE's: in a time T, S does no more than speed(S) T of the
/// work. The rest is under tasks that are evaluated elsewhere; their outermost are not under each
/// other, so for any price their work is at most gain(price) + price * their bytes, and their bytes
/// crossed the links out of S: at most bandwidth(S) T. Hence
///
///     T >= (work - gain(price)) / (speed(S) + price bandwidth(S))
///
/// for any price and S. For a price the least divisor is a maximal flow (Ford, Fulkerson 1956) from
/// the main PE's cluster, through links that carry price * bandwidth, to clusters that take in
/// their speed.
Crossing crossing(double work, const Reach& reach, const GainsOf& gains);

/// The same grid, its links the other way round.
Reach turned(Reach reach);

}  // namespace replay
