#include "rts/trace/stats.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace trawl {
namespace {

constexpr std::array<std::string_view, counts> names{
    "sparks_created",  "sparks_converted", "sparks_subsumed", "sparks_fizzled",    "sparks_ignored",
    "sparks_exported", "sparks_imported",  "threads_created", "threads_blocked",   "fish_sent",
    "fish_answered",   "fish_forwarded",   "fish_home_empty", "fetch_sent",        "fetch_received",
    "resume_sent",     "resume_received",  "ack_sent",        "free_sent",         "packets_sent",
    "packet_bytes",    "messages_sent",    "message_bytes",   "messages_received", "ga_slots",
    "ga_proxies",      "gc_count",         "gc_time",         "heap_bytes",        "busy_time",
    "idle_time",       "full_time"};

bool is_time(Count count) {
  return count == Count::gc_time || count == Count::busy_time || count == Count::idle_time ||
         count == Count::full_time;
}

std::string spell(Count count, std::uint64_t value) {
  if (is_time(count)) return fmt::format("{:.3f} s", static_cast<double>(value) * 1e-9);
  return fmt::format("{}", value);
}

using ByPe = std::vector<std::optional<Statistics>>;

Statistics sum_of(const ByPe& by_pe) {
  Statistics sum{};
  for (const auto& statistics : by_pe)
    for (std::size_t i = 0; statistics && i < counts; ++i) sum[i] += (*statistics)[i];
  return sum;
}

std::vector<std::size_t> silent_of(const ByPe& by_pe) {
  std::vector<std::size_t> silent;
  for (std::size_t pe = 0; pe < by_pe.size(); ++pe)
    if (!by_pe[pe]) silent.push_back(pe);
  return silent;
}

constexpr std::size_t most_columns = 8;
constexpr std::size_t most_links = 16;

double share(Nanos busy, Nanos elapsed) {
  return elapsed > 0 ? static_cast<double>(busy) / static_cast<double>(elapsed) : 0;
}

std::string links_text(std::vector<LinkUse> links, Nanos elapsed) {
  if (links.empty()) return {};
  std::stable_sort(links.begin(), links.end(),
                   [](const auto& a, const auto& b) { return a.busy > b.busy; });
  auto text = fmt::format("{:<32}{:>14}{:>13}{:>10}\n", "links", "bytes", "messages", "busy");
  for (std::size_t i = 0; i < links.size() && i < most_links; ++i) {
    const auto& link = links[i];
    text += fmt::format("{:<32}{:>14}{:>13}{:>8.1f} %\n", link.from + " -> " + link.to, link.bytes,
                        link.messages, 100 * share(link.busy, elapsed));
  }
  if (links.size() > most_links)
    text += fmt::format("{} others are busy for less\n", links.size() - most_links);
  return text;
}

}  // namespace

std::string_view name_of(Count count) {
  return names[static_cast<std::size_t>(count)];
}

void add_to(Statistics& sum, const Counters& counters) {
  for (std::size_t i = 0; i < counts; ++i) sum[i] += counters[static_cast<Count>(i)];
}

// With many PEs a column each would be unreadable: then the least, the median and the most of them.
std::string statistics_text(const ByPe& by_pe, Nanos elapsed, const std::vector<LinkUse>& links) {
  const bool each = by_pe.size() <= most_columns;
  const auto total = sum_of(by_pe);
  std::string text =
      fmt::format("trawl statistics: {} PE{}, {:.3f} s\n{:<18}", by_pe.size(),
                  by_pe.size() == 1 ? "" : "s", static_cast<double>(elapsed) * 1e-9, "");
  if (each)
    for (std::size_t pe = 0; pe < by_pe.size(); ++pe)
      text += fmt::format("{:>13}", fmt::format("PE {}", pe));
  else
    text += fmt::format("{:>13}{:>13}{:>13}", "least", "median", "most");
  text += fmt::format("{:>14}\n", "total");
  for (std::size_t i = 0; i < counts; ++i) {
    const auto count = static_cast<Count>(i);
    std::vector<std::optional<std::uint64_t>> row;
    row.reserve(by_pe.size());
    for (const auto& statistics : by_pe)
      if (statistics)
        row.emplace_back((*statistics)[i]);
      else if (each)
        row.emplace_back();
    if (!each) {
      std::sort(row.begin(), row.end());
      row = {row.front(), row[row.size() / 2], row.back()};
    }
    text += fmt::format("{:<18}", names[i]);
    for (const auto value : row) text += fmt::format("{:>13}", value ? spell(count, *value) : "-");
    text += fmt::format("{:>14}\n", spell(count, total[i]));
  }
  text += links_text(links, elapsed);
  for (const auto pe : silent_of(by_pe))
    text += fmt::format("PE {} did not answer at the end: its statistics are missing\n", pe);
  if (total[static_cast<std::size_t>(Count::sparks_ignored)] != 0)
    text +=
        "sparks were ignored because a spark pool was full: make fewer and larger ones, or raise "
        "--trawl:spark-pool\n";
  if (total[static_cast<std::size_t>(Count::full_time)] != 0)
    text +=
        "PEs took no work for a while, as their memory was nearly full: give them more "
        "(--trawl:heap-max), or use more hosts\n";
  return text;
}

std::string statistics_json(const ByPe& by_pe, Nanos elapsed, const std::vector<LinkUse>& links) {
  const auto object = [](const Statistics& statistics) {
    nlohmann::ordered_json json;
    for (std::size_t i = 0; i < counts; ++i) {
      const auto count = static_cast<Count>(i);
      const std::string key(names[i]);
      if (is_time(count))
        json[key + "_s"] = static_cast<double>(statistics[i]) * 1e-9;
      else
        json[key] = statistics[i];
    }
    return json;
  };
  nlohmann::ordered_json json;
  json["pes"] = by_pe.size();
  json["elapsed_s"] = static_cast<double>(elapsed) * 1e-9;
  json["total"] = object(sum_of(by_pe));
  json["by_pe"] = nlohmann::ordered_json::array();
  for (const auto& statistics : by_pe)
    json["by_pe"].push_back(statistics ? object(*statistics) : nlohmann::ordered_json());
  json["did_not_answer"] = silent_of(by_pe);
  for (const auto& link : links)
    json["links"].push_back({{"from", link.from},
                             {"to", link.to},
                             {"messages", link.messages},
                             {"bytes", link.bytes},
                             {"busy_s", static_cast<double>(link.busy) * 1e-9}});
  return json.dump(2) + "\n";
}

}  // namespace trawl
