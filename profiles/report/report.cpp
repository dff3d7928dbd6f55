#include "profiles/report/report.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "profiles/report/births.hpp"
#include "profiles/report/sites.hpp"
#include "rts/trace/format.hpp"

namespace trawl::profile {
namespace {

constexpr std::size_t most_changes = 1000;

/// All PEs say who is lost; it counts once, when the first has said it.
/// The others note that a PE is gone, each when it hears of it.
void find_changes(const Run& run, const trace::Event& event, std::set<int>& gone,
                  std::vector<Change>& changes) {
  const bool left = event.kind == trace::Kind::pe_left;
  if ((!left && event.kind != trace::Kind::pe_lost) || changes.size() >= most_changes) return;
  const auto pe = static_cast<int>(event.value);
  if (pe < 0 || pe >= run.logs.front().header.pes) return;
  if (gone.insert(pe).second) {
    changes.push_back({event.time, pe, left ? Change::What::left : Change::What::lost});
    return;
  }
  for (auto& change : changes)
    if (change.pe == pe) change.time = std::min(change.time, event.time);
}

void find_joins(const Run& run, std::vector<Change>& changes) {
  for (const auto& log : run.logs) {
    const auto came = came_at(log);
    if (came > 0 && came < run.end && changes.size() < most_changes)
      changes.push_back({came, log.header.pe, Change::What::joined});
  }
}

}  // namespace

std::string_view name_of(Change::What what) {
  constexpr std::array<std::string_view, 3> names{"lost", "left", "joined"};
  return names[static_cast<std::size_t>(what)];
}

Report measure_report(const Run& run, Nanos from, Nanos to, const Fishing& fishing,
                      const Granularity& granularity) {
  Report report;
  std::size_t lanes = 0;
  for (const auto& log : run.logs) lanes += 1 + static_cast<std::size_t>(log.header.workers);
  const auto bins = bins_for(lanes);
  report.activity = measure(run, from, to, bins);

  Audit audit(from, to);
  report.over_time = OverTime(from, to);
  Timeline timeline(from, report.activity.to, bins, run.logs);
  PathFinder finder(from, to);
  MessageEnds messages(run, from, to);
  Births births;
  Sites sites;
  std::set<int> gone;
  std::vector<double> idle;
  for (const auto& log : run.logs) {
    const int pe = log.header.pe;
    Threads threads(log.header, from, to, [&](const Slice& slice) {
      audit.see(pe, slice);
      report.over_time.see(slice);
      timeline.see(pe, slice);
      finder.see(pe, slice);
    });
    replay(
        log,
        [&](const trace::Event& event) {
          threads.see(event);
          audit.see(event);
          births.see(pe, event, threads);
          sites.see(log.header, event);
          report.over_time.see(event);
          finder.see(pe, event);
          messages.see(pe, event);
          find_changes(run, event, gone, report.changes);
        },
        nullptr);
    threads.finish(log.last);
    idle.push_back(static_cast<double>(threads.idle()));
  }
  find_joins(run, report.changes);
  report.slices_seen = timeline.slices();
  report.slices = timeline.drawn();
  for (auto& slice : report.slices)
    if (slice.cause == Cause::imported) slice.source = births.of(slice.message);
  report.lanes = timeline.lanes();
  report.functions = audit.result(run);
  const auto made_at = sites.result();
  for (auto& function : report.functions)
    if (const auto found = made_at.find(function.code); found != made_at.end())
      function.sites = found->second;
  report.path = finder.find(births);
  report.shorter = shorter(report.path, report.activity);
  report.messages = messages.result();
  report.facts = judge(report.activity, fishing, granularity, report.functions, report.path,
                       report.messages, idle);
  report.facts.sparks_ignored = audit.ignored();
  for (const auto& function : report.functions)
    report.facts.sparks_made += function.sparks + function.calls;
  for (const auto& [time, pe, what] : report.changes)
    (what == Change::What::lost   ? report.facts.lost
     : what == Change::What::left ? report.facts.left
                                  : report.facts.joined)
        .push_back(pe);
  report.findings = diagnose(report.facts);
  return report;
}

}  // namespace trawl::profile
