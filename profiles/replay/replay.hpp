// Evaluating a graph on Trawl, with declared work.
#pragma once

#include <cstdint>

#include "profiles/replay/bound.hpp"
#include "profiles/replay/graph.hpp"

namespace replay {

struct Scale {
  double work = 1;
  double bytes = 1;
};

/// To be called before `trawl::run`, on every PE alike.
void set_graph(Graph graph, Scale scale);

/// In a run: the checksum of all tasks.
std::uint64_t replay_graph();

/// What it should be.
std::uint64_t expected_sum();

/// Of the graph, as it is scaled; and what it takes who knows all lengths (longest_first.hpp).
Bound bound_of_graph(const Reach& reach);
double longest_first_of_graph(const Reach& reach);

}  // namespace replay
