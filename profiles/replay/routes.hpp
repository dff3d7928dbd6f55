// How a thunk gets from who makes it to who forces it, where these are two.
#pragma once

#include "profiles/replay/graph.hpp"

namespace replay {

/// Fills in all places, and Graph::passed. Where no way is known that the thunk could have taken,
/// it is made where it is forced, or not used. Throws Error where all ways together are too long to
/// be kept.
void route(Graph& graph);

}  // namespace replay
