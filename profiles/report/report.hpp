// A run as its report tells it: everything that is drawn, counted and said.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "profiles/activity.hpp"
#include "profiles/fishing.hpp"
#include "profiles/granularity.hpp"
#include "profiles/report/audit.hpp"
#include "profiles/report/diagnosis.hpp"
#include "profiles/report/facts.hpp"
#include "profiles/report/messages.hpp"
#include "profiles/report/over_time.hpp"
#include "profiles/report/path.hpp"
#include "profiles/report/shorter.hpp"
#include "profiles/report/timeline.hpp"

namespace trawl::profile {

/// To the PEs of a run.
struct Change {
  enum class What { lost, left, joined };

  Nanos time = 0;
  int pe = 0;
  What what = What::lost;
};
std::string_view name_of(Change::What what);

struct Report {
  Activity activity;  ///< in the timeline's bins
  std::vector<WorkerLane> lanes;
  std::vector<DrawnSlice> slices;
  std::uint64_t slices_seen = 0;
  std::vector<FunctionAudit> functions;
  OverTime over_time{0, 1};
  Path path;
  Shorter shorter;
  Messages messages;
  std::vector<Change> changes;
  Facts facts;
  std::vector<Finding> findings;
};

/// Reads the logs twice more. `fishing` and `granularity` are of the same window.
Report measure_report(const Run& run, Nanos from, Nanos to, const Fishing& fishing,
                      const Granularity& granularity);

/// Numbers, sentences and functions; times in seconds, shares from 0 to 1. What is drawn is not in
/// it.
nlohmann::json report_json(const Report& report);

/// The same for a terminal: functions, critical path, the paragraph.
std::string report_table(const Report& report);

}  // namespace trawl::profile
