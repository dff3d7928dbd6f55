// A schedule to compare with: of who knows beforehand how long each task takes.
#pragma once

#include "profiles/replay/graph.hpp"
#include "profiles/replay/reach.hpp"

namespace replay {

/// LPT, in seconds: each task's own work, the longest first, to the worker who would be done with
/// it first (Graham 1969, on unequal machines Gonzalez, Ibarra and Sahni 1977). What must come
/// before what is not asked, nor what is sent: for lists of tasks a goal, for trees all work over
/// all speeds. No bound: the best order of such tasks may take up to half less.
double longest_first(const Graph& graph, const Reach& reach);

}  // namespace replay
