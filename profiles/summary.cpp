#include "profiles/summary.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "profiles/axis.hpp"

namespace trawl::profile {
namespace {

using trace::Kind;

/// The counted columns: their names in the table and in JSON.
struct Counted {
  Kind kind;
  std::string_view head, name;
};

constexpr std::array columns{
    Counted{Kind::thread_start, "threads", "threads"},
    Counted{Kind::thread_block, "blocks", "blocks"},
    Counted{Kind::spark_convert, "convert", "sparks_converted"},
    Counted{Kind::spark_import, "import", "sparks_imported"},
    Counted{Kind::spark_export, "export", "sparks_exported"},
    Counted{Kind::fish_sent, "FISH", "fish_sent"},
    Counted{Kind::fish_home, "home", "fish_home"},
    Counted{Kind::fish_forward, "forward", "fish_forwarded"},
    Counted{Kind::fetch_sent, "FETCH", "fetch_sent"},
    Counted{Kind::message_sent, "send", "messages_sent"},
    Counted{Kind::message_received, "receive", "messages_received"},
    Counted{Kind::gc_begin, "GCs", "collections"},
};

/// One PE's numbers, or the sum of all.
struct Row {
  double time = 0;  // of all workers, ns, while it was there
  double busy = 0;
  double gc = 0;
  double sparks = 0;  // in the pool, mean
  std::array<std::uint64_t, columns.size()> count{};

  double idle() const { return std::max(0.0, time - busy - gc); }
  double share(double part) const { return time > 0 ? part / time : 0; }
};

// Spare workers share the others' cores.
Row line_of(const PeActivity& pe, const Activity& activity) {
  const double workers = pe.header.workers;
  const double time = static_cast<double>(pe.was_there(activity.from, activity.to)) * workers;
  const double gc = std::min(pe.total.gc * workers, time);
  Row line{time,
           std::min(pe.total.running, time - gc),
           gc,
           pe.total.sparks / static_cast<double>(activity.length()),
           {}};
  for (std::size_t i = 0; i < columns.size(); ++i) line.count[i] = pe.events(columns[i].kind);
  return line;
}

void add(Row& sum, const Row& line) {
  sum.time += line.time;
  sum.busy += line.busy;
  sum.gc += line.gc;
  sum.sparks += line.sparks;
  for (std::size_t i = 0; i < columns.size(); ++i) sum.count[i] += line.count[i];
}

std::vector<Row> lines(const Activity& activity) {
  std::vector<Row> all;
  for (const auto& pe : activity.pes) all.push_back(line_of(pe, activity));
  return all;
}

void print(std::string& out, const Row& line) {
  const auto percent = [&line](double part) { return 100 * line.share(part); };
  fmt::format_to(std::back_inserter(out), " {:6.1f} {:6.1f} {:6.1f} {:7.1f}", percent(line.busy),
                 percent(line.idle()), percent(line.gc), line.sparks);
  for (std::size_t i = 0; i < columns.size(); ++i)
    fmt::format_to(std::back_inserter(out), " {:>7}", line.count[i]);
  out += '\n';
}

nlohmann::json numbers(const Row& line) {
  nlohmann::json json{{"busy", line.share(line.busy)},
                      {"idle", line.share(line.idle())},
                      {"gc", line.share(line.gc)},
                      {"mean_sparks", line.sparks}};
  for (std::size_t i = 0; i < columns.size(); ++i)
    json[std::string(columns[i].name)] = line.count[i];
  return json;
}

}  // namespace

std::string table(const Activity& activity) {
  const auto& first = activity.pes.front().header;
  auto out = fmt::format("{} on {} PE{}, {}: average parallelism {:.2f} on {} workers\n",
                         first.program, first.pes, first.pes == 1 ? "" : "s",
                         duration(static_cast<double>(activity.run_end)), activity.parallelism(),
                         activity.workers());
  if (activity.from > 0 || activity.to < activity.run_end)
    out += fmt::format("from {} to {} only:\n", duration(static_cast<double>(activity.from)),
                       duration(static_cast<double>(activity.to)));
  out += fmt::format("{:>6} {:>6} {:12} {:>6} {:>6} {:>6} {:>7}", "PE", "speed", "cluster", "busy%",
                     "idle%", "GC%", "sparks");
  for (const auto& column : columns) out += fmt::format(" {:>7}", column.head);
  out += '\n';
  Row total;
  const auto all = lines(activity);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& header = activity.pes[i].header;
    out += fmt::format("{:>6} {:6.2f} {:12.12}", header.pe, header.speed, header.cluster);
    print(out, all[i]);
    add(total, all[i]);
  }
  out += fmt::format("{:>6} {:6} {:12}", "all", "", "");
  print(out, total);
  return out;
}

nlohmann::json to_json(const Activity& activity) {
  const auto seconds = [](Nanos time) { return static_cast<double>(time) / 1e9; };
  const auto& first = activity.pes.front().header;
  auto pes = nlohmann::json::array();
  Row total;
  const auto all = lines(activity);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& header = activity.pes[i].header;
    auto pe = numbers(all[i]);
    pe.update({{"pe", header.pe},
               {"workers", header.workers},
               {"speed", header.speed},
               {"cluster", header.cluster},
               {"host", header.host},
               {"complete", activity.pes[i].complete}});
    pes.push_back(std::move(pe));
    add(total, all[i]);
  }
  return {{"program", first.program},
          {"pes", first.pes},
          {"workers", activity.workers()},
          {"runtime", seconds(activity.run_end)},
          {"from", seconds(activity.from)},
          {"to", seconds(activity.to)},
          {"average_parallelism", activity.parallelism()},
          {"per_pe", std::move(pes)},
          {"total", numbers(total)}};
}

}  // namespace trawl::profile
