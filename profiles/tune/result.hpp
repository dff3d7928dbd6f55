// What a tuning has found out, and how it is said: as text, as JSON, as a file of flags.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "profiles/tune/grain.hpp"
#include "profiles/tune/search.hpp"
#include "profiles/tune/tuner.hpp"

namespace tune {

struct OnGrid {
  std::string grid;
  int pes = 0, workers = 0;
  Space space;
  Advice advice;
  SparkCosts costs;
  std::vector<LineGrain> lines;
  Coarser coarser;
  std::string trouble;  ///< of the first run that failed
};

/// One set of flags for several grids.
struct ForAll {
  Space space;
  Advice advice;                ///< of the geometric mean of the grids' times
  std::vector<Interval> gains;  ///< on each grid
};

struct Result {
  std::string recording, program;
  double work = 0, critical_path = 0;  ///< seconds
  std::vector<OnGrid> grids;
  long replays = 0;  ///< all that were run
  std::optional<ForAll> for_all;
};

std::string text(const Result& result);
nlohmann::json json(const Result& result);
/// What --trawl:flags reads: for all grids, if there are several.
std::string flag_file(const Result& result);

/// "+2.1 %".
std::string percent(double share);
/// "two-sites" of "grids/two-sites.json".
std::string short_grid(const std::string& grid);

}  // namespace tune
