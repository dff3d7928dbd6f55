#include "profiles/report/page.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include "profiles/report/pack.hpp"
#include "profiles/report/page_parts.hpp"
#include "profiles/summary.hpp"
#include "profiles/work_summary.hpp"
#include "rts/fabric/kinds.hpp"
#include "rts/inline/error.hpp"

namespace trawl::profile {
namespace {

using nlohmann::json;
using Byte = std::uint8_t;

constexpr std::size_t most_segments = 3000;
constexpr std::ptrdiff_t most_pes = 1000;  // in the table
constexpr Byte many_functions = 255;       // of a bin: one without a number of its own, or none
constexpr int most_groups_in_matrix = 32;

Byte share(double part, double whole) {
  return static_cast<Byte>(std::clamp(part / whole * 255 + 0.5, 0.0, 255.0));
}

/// Of a number from 0 to about 250: the same relative error everywhere. (The page undoes it.)
Byte logarithm(double number) {
  return static_cast<Byte>(std::clamp(16 * std::log2(1 + std::max(0.0, number)) + 0.5, 0.0, 255.0));
}

/// A row of the timeline: a PE, or neighbours if there are many.
json rows(const Activity& activity) {
  auto all = json::array();
  const auto step = (activity.pes.size() + most_lanes - 1) / most_lanes;
  const auto bins = activity.sum.size();
  for (std::size_t first = 0; first < activity.pes.size(); first += step) {
    const auto after = std::min(activity.pes.size(), first + step);
    std::vector<Byte> bytes;
    bytes.reserve(5 * bins);
    for (std::size_t bin = 0; bin < bins; ++bin) {
      Bin sum;
      for (auto pe = first; pe < after; ++pe) sum += activity.pes[pe].bins[bin];
      const double length = activity.length(bin) * static_cast<double>(after - first);
      for (const auto byte :
           {share(sum.busy, length), share(sum.gc, length), share(sum.blocked_only, length),
            logarithm(sum.active / length), logarithm(sum.sparks / length)})
        bytes.push_back(byte);
    }
    const auto& pe = activity.pes[first];
    all.push_back({{"pe", pe.header.pe},
                   {"last_pe", activity.pes[after - 1].header.pe},
                   {"cluster", pe.header.cluster},
                   {"host", pe.header.host},
                   {"speed", pe.header.speed},
                   {"workers", pe.header.workers},
                   {"complete", pe.complete},
                   {"last", pe.last - activity.from},
                   {"bins", packed(bytes)}});
  }
  return all;
}

std::string overall(const Activity& activity) {
  std::vector<float> numbers;
  numbers.reserve(3 * activity.sum.size());
  for (std::size_t bin = 0; bin < activity.sum.size(); ++bin) {
    const auto& sum = activity.sum[bin];
    for (const double number : {sum.running, sum.runnable, sum.blocked})
      numbers.push_back(static_cast<float>(number / activity.length(bin)));
  }
  return packed(numbers);
}

/// Functions by their place in the report's list.
class Places {
 public:
  explicit Places(const Report& report) {
    for (std::size_t i = 0; i < report.functions.size(); ++i)
      places_[report.functions[i].code] = static_cast<std::uint32_t>(i);
  }
  std::uint16_t of(std::uint32_t code) const {
    const auto found = places_.find(code);
    return found == places_.end() ? 0xFFFF
                                  : static_cast<std::uint16_t>(std::min(found->second, 0xFFFFU));
  }

 private:
  std::unordered_map<std::uint32_t, std::uint32_t> places_;
};

json lanes(const Report& report, const Places& places) {
  auto all = json::array();
  for (const auto& lane : report.lanes) {
    std::vector<Byte> bytes;
    bytes.reserve(2 * lane.bins.size());
    for (std::size_t bin = 0; bin < lane.bins.size(); ++bin) {
      const auto& each = lane.bins[bin];
      const auto place = places.of(each.code);
      bytes.push_back(share(each.ran, report.activity.length(bin)));
      bytes.push_back(static_cast<Byte>(std::min<std::uint16_t>(place, many_functions)));
    }
    all.push_back({{"pe", lane.pe}, {"worker", lane.worker}, {"bins", packed(bytes)}});
  }
  return all;
}

/// Column by column.
json slices(const Report& report, const Places& places) {
  std::vector<double> begin;
  std::vector<float> length, waited, blocked;
  std::vector<std::uint32_t> thread, pe, source;
  std::vector<std::uint16_t> lane, function, source_function, waits_for;
  std::vector<Byte> cause, ends;
  for (const auto& slice : report.slices) {
    begin.push_back(static_cast<double>(slice.begin - report.activity.from));
    length.push_back(static_cast<float>(slice.length()));
    waited.push_back(static_cast<float>(slice.begin - slice.ready));
    blocked.push_back(static_cast<float>(slice.ready - slice.blocked));
    thread.push_back(slice.thread);
    pe.push_back(slice.pe);
    source.push_back(slice.source.thread);
    source_function.push_back(places.of(slice.source.code));
    waits_for.push_back(places.of(slice.waits_for));
    lane.push_back(static_cast<std::uint16_t>(slice.lane));
    function.push_back(places.of(slice.code));
    cause.push_back(static_cast<Byte>(slice.cause));
    ends.push_back(static_cast<Byte>((slice.blocks ? 1 : 0) + (slice.finishes ? 2 : 0) +
                                     (slice.waits_elsewhere ? 4 : 0)));
  }
  return {{"begin", packed(begin)},         {"length", packed(length)},
          {"waited", packed(waited)},       {"blocked", packed(blocked)},
          {"thread", packed(thread)},       {"pe", packed(pe)},
          {"source", packed(source)},       {"source_function", packed(source_function)},
          {"waits_for", packed(waits_for)}, {"lane", packed(lane)},
          {"function", packed(function)},   {"cause", packed(cause)},
          {"ends", packed(ends)},           {"seen", report.slices_seen},
          {"count", begin.size()}};
}

json messages(const Report& report) {
  const auto& all = report.messages;
  std::vector<double> begin;
  std::vector<float> length;
  std::vector<std::uint32_t> from, to, bytes;
  std::vector<Byte> kind;
  for (const auto& message : all.drawn) {
    begin.push_back(static_cast<double>(message.begin - report.activity.from));
    length.push_back(static_cast<float>(message.length()));
    from.push_back(static_cast<std::uint32_t>(message.from));
    to.push_back(static_cast<std::uint32_t>(message.to));
    bytes.push_back(message.bytes);
    kind.push_back(static_cast<Byte>(std::min<std::uint16_t>(message.kind, fabric::kinds)));
  }
  auto kinds = json::array();
  for (const auto& row : fabric::table::rows) kinds.push_back(row.name);
  return {{"begin", packed(begin)},     {"length", packed(length)},
          {"from", packed(from)},       {"to", packed(to)},
          {"bytes", packed(bytes)},     {"kind", packed(kind)},
          {"kinds", std::move(kinds)},  {"seen", all.seen},
          {"looked_at", all.looked_at}, {"back_in_time", all.back_in_time}};
}

/// Of a long path the longest segments.
json path(const Report& report, const Places& places) {
  auto segments = report.path.segments;
  if (segments.size() > most_segments) {
    std::nth_element(
        segments.begin(), segments.begin() + most_segments, segments.end(),
        [](const Segment& a, const Segment& b) { return a.end - a.begin > b.end - b.begin; });
    segments.resize(most_segments);
    std::sort(segments.begin(), segments.end(),
              [](const Segment& a, const Segment& b) { return a.begin < b.begin; });
  }
  auto all = json::array();
  for (const auto& segment : segments)
    all.push_back({segment.begin - report.activity.from, segment.end - report.activity.from,
                   static_cast<int>(segment.step), segment.pe, places.of(segment.code),
                   segment.from});
  return {{"segments", std::move(all)}};
}

json fish(const Fishing& fishing, const Run& run) {
  const auto groups = matrix(fishing, run, most_groups_in_matrix);
  auto cells = json::array();
  for (const auto& cell : groups.cells)
    cells.push_back({cell.asked, cell.found, cell.forwarded, cell.in_vain, cell.mean_time() / 1e9});
  return {{"names", groups.names}, {"cells", std::move(cells)}};
}

json page_data(const Run& run, const Report& report, const Fishing& fishing,
               const Granularity& granularity) {
  const Places places(report);
  const auto& activity = report.activity;
  auto changes = json::array();
  for (const auto& change : report.changes)
    changes.push_back({change.time - activity.from, change.pe, name_of(change.what)});
  auto damage = json::array();
  for (const auto& each : run.damage) damage.push_back(to_string(each));
  json data{{"summary", to_json(activity)},
            {"report", report_json(report)},
            {"work", work_json(fishing, granularity)},
            {"from", activity.from},
            {"length", activity.length()},
            {"bins", activity.sum.size()},
            {"overall", overall(activity)},
            {"rows", rows(activity)},
            {"lanes", lanes(report, places)},
            {"slices", slices(report, places)},
            {"messages", messages(report)},
            {"path", path(report, places)},
            {"fish", fish(fishing, run)},
            {"changes", std::move(changes)},
            {"damage", std::move(damage)}};
  data["work"].erase("fish");  // by PE: too much for a page, and in `fish` by group
  auto& pes = data["summary"]["per_pe"];
  if (pes.size() > static_cast<std::size_t>(most_pes)) pes.erase(pes.begin() + most_pes, pes.end());
  return data;
}

/// `text` with what stands for a part replaced by that part.
void fill(std::string& text, std::string_view name, std::string_view part) {
  const auto at = text.find(name);
  if (at != std::string::npos) text.replace(at, name.size(), part);
}

}  // namespace

std::string embedded(const json& data) {
  const auto text = data.dump(-1, ' ', false, json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    if (c == '<')
      safe += "\\u003c";  // it can only be inside of a string
    else
      safe += c;
  }
  return safe;
}

void write_page(const Run& run, const Report& report, const Fishing& fishing,
                const Granularity& granularity, const std::string& path) {
  // What comes from the log is filled in last: it may contain anything.
  std::string page(page_html);
  fill(page, "{{style}}", page_css);
  fill(page, "{{script}}", page_js);
  fill(page, "{{data}}", embedded(page_data(run, report, fishing, granularity)));
  errno = 0;
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << page << std::flush;
  if (!out)
    throw Error("cannot write the report " + path + ": " + std::strerror(errno) +
                    "; choose another place with --html",
                2);
}

}  // namespace trawl::profile
