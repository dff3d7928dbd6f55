// Where the placed tasks of a recording lie when it is replayed: on the one PE that it was made on
// all lay there.
#pragma once

#include "profiles/replay/graph.hpp"

namespace replay {

/// Fills in Graph::positions. Thunks of one site that are placed one after the other are the shards
/// of one skeleton. But who is the only one of these to use some data lies where they do, or the
/// most of them; and who uses none lies where the first of those lies whose results he needs. Data
/// that all shards of a skeleton use lie at every place: what they keep is taken for nothing.
void find_positions(Graph& graph);

}  // namespace replay
