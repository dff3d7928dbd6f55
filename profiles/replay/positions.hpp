// Where the placed tasks of a recording lie when it is replayed: on the one PE that it was made on
// all lay there.
#pragma once

#include "profiles/replay/graph.hpp"

namespace replay {

/// Fills in Graph::positions. Thunks of one site that are placed one after the other are the shards
/// of one skeleton. But of what a shard needs alone of these, it lies where the most data do that
/// it uses, or, where there are none, where the first does whose result it needs. What all shards
/// of a skeleton need lies at every place: what it keeps is taken for nothing.
void find_positions(Graph& graph);

}  // namespace replay
