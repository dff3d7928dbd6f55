// Work that others must go before, and others must follow.
#pragma once

#include "profiles/replay/graph.hpp"
#include "profiles/replay/reach.hpp"

namespace replay {

/// Seconds. Work that has paths of t before it and of x after it, or longer ones, is done in the
/// time between, by all PEs: T >= (t + x) / fastest + work / speed (Fernandez and Bussell 1973).
/// Of t and of x, 128 are tried.
double least_between(const Graph& graph, const Reach& reach);

}  // namespace replay
