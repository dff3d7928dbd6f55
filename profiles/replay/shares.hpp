// Values that tasks share: who makes them, and whom they are given to.
#pragma once

#include "profiles/replay/graph.hpp"

namespace replay {

/// A task's arguments refer to a shared value.
struct Reference {
  Number task = 0;
  Number value = 0;
};

/// Says of each task which values it is given and which it makes. A value comes with arguments, so
/// all between its maker and who refers to it have it; its maker is the last of whom that is true
/// for all who do. References to values that are not there are left out, and values with too long
/// ways.
void share(Graph& graph, Plain<Reference> references);

}  // namespace replay
