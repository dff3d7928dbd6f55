#include "rts/trace/stats.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace trawl {
namespace {

constexpr std::array<std::string_view, counts> names{
    "sparks_created",   "sparks_converted",  "sparks_subsumed", "sparks_fizzled",
    "sparks_ignored",   "sparks_exported",   "sparks_imported", "sparks_to_data",
    "sparks_backed_up", "threads_created",   "threads_blocked", "fish_sent",
    "fish_answered",    "fish_forwarded",    "fish_home_empty", "fetch_sent",
    "fetch_received",   "resume_sent",       "resume_received", "ack_sent",
    "free_sent",        "packets_sent",      "packet_bytes",    "messages_sent",
    "message_bytes",    "messages_received", "ga_slots",        "ga_proxies",
    "gc_count",         "gc_time",           "heap_bytes",      "live_bytes",
    "allocated_bytes",  "busy_time",         "idle_time",       "progress_time",
    "full_time",        "pes_lost",          "pes_left",        "pes_joined",
    "thunks_revived",   "values_remade",     "values_lost",     "slots_leaked",
    "slots_corrected"};

bool is_time(Count count) {
  return count == Count::gc_time || count == Count::busy_time || count == Count::idle_time ||
         count == Count::progress_time || count == Count::full_time;
}

double seconds(std::uint64_t time) {
  return static_cast<double>(time) * 1e-9;
}

std::string spell(Count count, std::uint64_t value) {
  return is_time(count) ? fmt::format("{:.3f} s", seconds(value)) : fmt::format("{}", value);
}

std::string percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

using ByPe = std::vector<std::optional<Statistics>>;

// ---- where workers' time went

struct Share {
  std::string_view name;
  std::uint64_t WorkerTimes::*time;
};

constexpr std::array<Share, 4> shares{{{"mutator", &WorkerTimes::mutator},
                                       {"collector", &WorkerTimes::collector},
                                       {"communication", &WorkerTimes::communication},
                                       {"idle", &WorkerTimes::idle}}};

std::uint64_t life_of(const WorkerTimes& times) {
  return times.mutator + times.collector + times.communication + times.idle;
}

double share_of(const WorkerTimes& times, const Share& share) {
  const auto life = life_of(times);
  return life == 0 ? 0 : static_cast<double>(times.*share.time) / static_cast<double>(life);
}

WorkerTimes sum_of(const std::vector<WorkerTimes>& workers) {
  WorkerTimes sum;
  for (const auto& times : workers)
    for (const auto& share : shares) sum.*share.time += times.*share.time;
  return sum;
}

// ---- of all PEs

bool is_heard_by_all(std::size_t count) {
  return count == static_cast<std::size_t>(Count::pes_lost) ||
         count == static_cast<std::size_t>(Count::pes_left) ||
         count == static_cast<std::size_t>(Count::pes_joined);
}

std::vector<std::size_t> silent_of(const ByPe& by_pe) {
  std::vector<std::size_t> silent;
  for (std::size_t pe = 0; pe < by_pe.size(); ++pe)
    if (!by_pe[pe]) silent.push_back(pe);
  return silent;
}

constexpr std::size_t most_columns = 8;
constexpr std::size_t most_workers = 32;
constexpr std::size_t most_links = 16;

// With many PEs a column each would be unreadable: then the least, the median and the most of them.
template <class Value, class Spell>
std::string line(std::string_view name, std::vector<std::optional<Value>> row, Value total,
                 Spell spelled) {
  if (row.size() > most_columns) {
    row.erase(std::remove(row.begin(), row.end(), std::nullopt), row.end());
    std::sort(row.begin(), row.end());
    row = {row.front(), row[row.size() / 2], row.back()};
  }
  auto text = fmt::format("{:<18}", name);
  for (const auto& value : row) text += fmt::format("{:>13}", value ? spelled(*value) : "-");
  return text + fmt::format("{:>14}\n", spelled(total));
}

std::string columns_text(std::size_t pes) {
  auto text = fmt::format("{:<18}", "");
  if (pes > most_columns)
    text += fmt::format("{:>13}{:>13}{:>13}", "least", "median", "most");
  else
    for (std::size_t pe = 0; pe < pes; ++pe)
      text += fmt::format("{:>13}", fmt::format("PE {}", pe));
  return text + fmt::format("{:>14}\n", "total");
}

std::string shares_text(const ByPe& by_pe, const WorkerTimes& total) {
  std::string text;
  for (const auto& share : shares) {
    std::vector<std::optional<double>> row;
    row.reserve(by_pe.size());
    for (const auto& statistics : by_pe) {
      row.emplace_back();
      if (statistics) row.back() = share_of(sum_of(statistics->workers), share);
    }
    text += line(share.name, std::move(row), share_of(total, share), percent);
  }
  return text;
}

// Where each PE has one, its column says it all.
std::string workers_text(const ByPe& by_pe, std::size_t workers) {
  if (workers <= by_pe.size() || workers > most_workers) return {};
  auto text = fmt::format("{:<18}", "workers");
  for (const auto& share : shares) text += fmt::format("{:>14}", share.name);
  text += '\n';
  for (std::size_t pe = 0; pe < by_pe.size(); ++pe)
    for (std::size_t i = 0; by_pe[pe] && i < by_pe[pe]->workers.size(); ++i) {
      text += fmt::format("{:<18}", fmt::format("PE {}, worker {}", pe, i));
      for (const auto& share : shares)
        text += fmt::format("{:>14}", percent(share_of(by_pe[pe]->workers[i], share)));
      text += '\n';
    }
  return text;
}

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

nlohmann::ordered_json counts_json(const Statistics& statistics) {
  nlohmann::ordered_json json;
  for (std::size_t i = 0; i < counts; ++i) {
    const std::string key(names[i]);
    if (is_time(static_cast<Count>(i)))
      json[key + "_s"] = seconds(statistics[i]);
    else
      json[key] = statistics[i];
  }
  return json;
}

nlohmann::ordered_json shares_json(const WorkerTimes& times) {
  nlohmann::ordered_json json;
  for (const auto& share : shares) json[std::string(share.name)] = share_of(times, share);
  return json;
}

nlohmann::ordered_json shares_json(const std::vector<WorkerTimes>& workers) {
  auto json = shares_json(sum_of(workers));
  json["workers"] = nlohmann::ordered_json::array();
  for (const auto& times : workers) {
    auto one = shares_json(times);
    one["life_s"] = seconds(life_of(times));
    json["workers"].push_back(std::move(one));
  }
  return json;
}

}  // namespace

std::string_view name_of(Count count) {
  return names[static_cast<std::size_t>(count)];
}

void add_to(Statistics& sum, const Counters& counters) {
  for (std::size_t i = 0; i < counts; ++i) sum[i] += counters[static_cast<Count>(i)];
}

Statistics sum_of(const ByPe& by_pe) {
  Statistics sum{};
  for (const auto& statistics : by_pe) {
    if (!statistics) continue;
    for (std::size_t i = 0; i < counts; ++i)
      sum[i] = is_heard_by_all(i) ? std::max(sum[i], (*statistics)[i]) : sum[i] + (*statistics)[i];
    sum.workers.insert(sum.workers.end(), statistics->workers.begin(), statistics->workers.end());
  }
  return sum;
}

std::string statistics_text(const ByPe& by_pe, Nanos elapsed, const std::vector<LinkUse>& links) {
  const auto total = sum_of(by_pe);
  std::string text = fmt::format("trawl statistics: {} PE{}, {:.3f} s\n", by_pe.size(),
                                 by_pe.size() == 1 ? "" : "s", static_cast<double>(elapsed) * 1e-9);
  text += columns_text(by_pe.size());
  for (std::size_t i = 0; i < counts; ++i) {
    std::vector<std::optional<std::uint64_t>> row;
    row.reserve(by_pe.size());
    for (const auto& statistics : by_pe) {
      row.emplace_back();
      if (statistics) row.back() = (*statistics)[i];
    }
    text += line(names[i], std::move(row), total[i],
                 [i](std::uint64_t value) { return spell(static_cast<Count>(i), value); });
  }
  text += shares_text(by_pe, sum_of(total.workers));
  text += workers_text(by_pe, total.workers.size());
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
  const auto total = sum_of(by_pe);
  nlohmann::ordered_json json;
  json["pes"] = by_pe.size();
  json["elapsed_s"] = static_cast<double>(elapsed) * 1e-9;
  json["total"] = counts_json(total);
  json["by_pe"] = nlohmann::ordered_json::array();
  for (const auto& statistics : by_pe)
    json["by_pe"].push_back(statistics ? counts_json(*statistics) : nlohmann::ordered_json());
  json["shares"]["total"] = shares_json(sum_of(total.workers));
  json["shares"]["by_pe"] = nlohmann::ordered_json::array();
  for (const auto& statistics : by_pe)
    json["shares"]["by_pe"].push_back(statistics ? shares_json(statistics->workers)
                                                 : nlohmann::ordered_json());
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
