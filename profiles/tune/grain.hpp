// Are a program's sparks worth what they cost?
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiles/lines.hpp"
#include "profiles/replay/graph.hpp"

namespace tune {

/// Seconds.
struct SparkCosts {
  double spawn = 0;  ///< a call that nobody takes, over a plain call; measured on this host
  double par = 0;    ///< the same of a thunk: lazy, par and force
  double near = 0;   ///< until the value of one that went to the same cluster is back; simulated
  double far = 0;    ///< to the cluster that is farthest from the main PE's; near, if there is one
  double near_bytes = 0, far_bytes = 0;  ///< more for each byte
};

/// Of a line that sparks a function.
struct LineGrain {
  std::string function;
  trawl::profile::Line line;  ///< number 0: not known
  std::uint64_t sparks = 0;
  bool thunks = false;  ///< by par; else by spawn
  double work = 0;      ///< seconds, with all under them that is not sparked itself
  double shortest = 0, median = 0, longest = 0;  ///< with all under a spark
  double bytes = 0;                              ///< arguments and result, mean
  double near_pays = 0, far_pays = 0;  ///< the share of sparks that is longer than being sent takes
  double cost = 0;  ///< the share of all work that their sparks take where they stay
};

/// Of each of the graph's sites, read from the file that the program ran from.
std::vector<trawl::profile::Line> lines_of_sites(const replay::Graph& graph);

/// Those first that have most work under them; `lines` are those of the graph's sites.
std::vector<LineGrain> grains(const replay::Graph& graph,
                              const std::vector<trawl::profile::Line>& lines,
                              const SparkCosts& costs);

/// What is to be thought of it, in words.
std::string verdict(const LineGrain& grain, double all_work);

/// Levels for `trawl-replay --cut-off`: "0us" and some between 40 us and what leaves few sparks;
/// for
/// --chunk: 1, 2, 4, ...
std::vector<std::string> cut_offs(const replay::Graph& graph, int workers);
std::vector<std::string> chunks(const replay::Graph& graph, int workers);

}  // namespace tune
