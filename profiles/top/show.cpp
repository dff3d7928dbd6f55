#include "profiles/top/show.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include <fmt/format.h>

#include "profiles/ascii.hpp"

namespace trawl::top {
namespace {

using nlohmann::json;

std::string percent(double share) {
  return fmt::format("{:.0f}", 100 * share);
}

std::string milliseconds(double seconds) {
  return seconds < 0 ? "-" : fmt::format("{:.{}f}", seconds * 1e3, seconds < 1e-2 ? 2 : 0);
}

std::string number(std::uint64_t value) {
  return short_number(static_cast<double>(value));
}

struct Column {
  std::string_view title;
  std::size_t width;
  std::string (*text)(const Line&);
};

// The most telling come first: those at the right are left out first.
constexpr std::array columns{
    Column{"BUSY", 6, [](const Line& l) { return fmt::format("{}/{}", l.busy, l.workers); }},
    Column{"IDLE%", 5, [](const Line& l) { return percent(l.idle); }},
    Column{"GC%", 4, [](const Line& l) { return percent(l.collector); }},
    Column{"SPARKS", 6, [](const Line& l) { return number(l.sparks); }},
    Column{"RUN", 5, [](const Line& l) { return number(l.runnable); }},
    Column{"BLOCK", 5, [](const Line& l) { return number(l.blocked); }},
    Column{"DONE/S", 6, [](const Line& l) { return short_number(l.done_rate); }},
    Column{"FISH/S", 6, [](const Line& l) { return short_number(l.fish_rate); }},
    Column{"VAIN/S", 6, [](const Line& l) { return short_number(l.vain_rate); }},
    Column{"OUT", 5, [](const Line& l) { return number(l.exported); }},
    Column{"IN", 5, [](const Line& l) { return number(l.imported); }},
    Column{"HEAP", 5, [](const Line& l) { return number(l.heap_used); }},
    Column{"MSG/S", 5, [](const Line& l) { return short_number(l.message_rate); }},
    Column{"B/S", 5, [](const Line& l) { return short_number(l.byte_rate); }},
    Column{"MSG%", 4, [](const Line& l) { return percent(l.communication); }},
    Column{"MS", 5, [](const Line& l) { return milliseconds(l.latency); }},
    Column{"PACE", 4, [](const Line& l) { return l.pes == 1 ? percent(l.pace) : ""; }},
};

std::string cut(std::string text, std::size_t width) {
  if (text.size() > width) text.resize(width);
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text + "\n";
}

/// The first lines.
std::string cut_lines(const std::string& text, std::size_t most) {
  std::size_t end = 0;
  for (; most > 0 && end < text.size(); --most) end = text.find('\n', end) + 1;
  return text.substr(0, end);
}

std::string heading(const Sample& sample, std::size_t width) {
  const auto& head = sample.head;
  const auto& total = sample.total;
  std::string others;
  for (const auto& [count, what] : {std::pair{sample.silent, "silent"},
                                    {sample.lost, "lost"},
                                    {sample.leaving, "leaving"},
                                    {sample.left, "left"},
                                    {sample.to_come, "to come"}})
    if (count > 0) others += fmt::format(", {} {}", count, what);
  auto program = profile::ascii(trace::text_of(head.program));
  program.erase(0, program.rfind('/') + 1);
  std::string text = cut(fmt::format("{} on {}, process {}: {:.0f} s{}; {} PE{}{}", program,
                                     profile::ascii(trace::text_of(head.host)), head.pid,
                                     static_cast<double>(head.time) * 1e-9,
                                     head.stage == trace::Stage::over ? ", over" : "", total.pes,
                                     total.pes == 1 ? "" : "s", others),
                         width);
  text += cut(fmt::format("{} of {} workers busy, {}% idle; {} sparks wait, {} done, {} threads; "
                          "heap {} of {}",
                          total.busy, total.workers, percent(total.idle), number(total.sparks),
                          number(total.done), number(total.threads), number(total.heap_used),
                          number(total.heap_bytes)),
              width);
  return text;
}

class Rows {
 public:
  Rows(std::size_t width, std::size_t first, bool hosts) : width_(width), first_(first) {
    std::size_t used = first;
    for (; shown_ < columns.size() && used + 1 + columns[shown_].width <= width; ++shown_)
      used += 1 + columns[shown_].width;
    hosts_ = hosts && shown_ == columns.size() && used + 5 <= width;
  }

  std::string titles(std::string_view first) const {
    std::string text = fmt::format("{:>{}}", first, first_);
    for (std::size_t i = 0; i < shown_; ++i)
      text += fmt::format(" {:>{}}", columns[i].title, columns[i].width);
    return cut(text + (hosts_ ? " HOST" : ""), width_);
  }

  std::string row(const Line& line) const {
    std::string text = fmt::format("{:>{}}", line.name.substr(0, first_), first_);
    if (!line.remark.empty()) return cut(text + " " + line.remark, width_);
    for (std::size_t i = 0; i < shown_; ++i)
      text += fmt::format(" {:>{}}", columns[i].text(line), columns[i].width);
    return cut(text + (hosts_ ? " " + line.host : ""), width_);
  }

 private:
  std::size_t width_, first_, shown_ = 0;
  bool hosts_ = false;
};

std::string rows_of(const Sample& sample, std::size_t width, std::size_t height) {
  auto lines = sample.pes;
  std::string_view title = "PE";
  if (lines.size() > height) {
    auto clusters = sample.by_cluster();
    if (clusters.size() > 1) {
      for (auto& cluster : clusters) cluster.name += fmt::format(" ({} PEs)", cluster.pes);
      lines = std::move(clusters);
      title = "CLUSTER";
    }
  }
  std::size_t first = title.size();
  for (const auto& line : lines)
    first = std::max(first, std::min<std::size_t>(line.name.size(), 24));
  const Rows rows(width, first, title == "PE");
  std::string text = rows.titles(title);
  const bool all = lines.size() <= height;
  const auto shown = all ? lines.size() : std::max<std::size_t>(height, 1) - 1;
  for (std::size_t i = 0; i < shown; ++i) text += rows.row(lines[i]);
  if (!all)
    text += cut(
        fmt::format("... and {} more {}", lines.size() - shown, title == "PE" ? "PEs" : "clusters"),
        width);
  return text;
}

std::string links_of(const Sample& sample, std::size_t width) {
  std::string text;
  for (const auto& link : sample.links)
    text += cut(fmt::format("{} - {}: {}{}", link.one, link.other,
                            link.latency < 0 ? "" : milliseconds(link.latency) + " ms one way",
                            link.bytes_a_second == 0
                                ? ""
                                : (link.latency < 0 ? "" : ", ") +
                                      short_number(link.bytes_a_second) + "B/s at least"),
                width);
  return text.empty() ? text : "\n" + text;
}

json figures(const Line& line) {
  return {{"workers", line.workers},
          {"busy", line.busy},
          {"sparks", line.sparks},
          {"runnable", line.runnable},
          {"blocked", line.blocked},
          {"sparks_done", line.done},
          {"threads_created", line.threads},
          {"sparks_exported", line.exported},
          {"sparks_imported", line.imported},
          {"heap_used", line.heap_used},
          {"heap_bytes", line.heap_bytes},
          {"shares",
           {{"mutator", line.mutator},
            {"collector", line.collector},
            {"communication", line.communication},
            {"idle", line.idle}}},
          {"per_second",
           {{"sparks_done", line.done_rate},
            {"fish_sent", line.fish_rate},
            {"fish_home_empty", line.vain_rate},
            {"messages_sent", line.message_rate},
            {"message_bytes", line.byte_rate}}}};
}

json of_pe(const Line& line) {
  const auto& pulse = line.pulse;
  auto all = figures(line);
  all["host"] = line.host;
  all["cluster"] = line.cluster;
  all["remark"] = line.remark;
  all["speed"] = line.speed;
  all["pace"] = line.pace;
  all["latency_s"] = line.latency < 0 ? json() : json(line.latency);
  all["sparks_created"] = pulse.sparks_created;
  all["sparks_converted"] = pulse.sparks_converted;
  all["sparks_subsumed"] = pulse.sparks_subsumed;
  all["sparks_fizzled"] = pulse.sparks_fizzled;
  all["fish_sent"] = pulse.fish_sent;
  all["fish_answered"] = pulse.fish_answered;
  all["fish_home_empty"] = pulse.fish_in_vain;
  all["messages_sent"] = pulse.messages_sent;
  all["message_bytes"] = pulse.message_bytes;
  all["messages_received"] = pulse.messages_received;
  all["gc_count"] = pulse.collections;
  return all;
}

}  // namespace

std::string short_number(double number) {
  constexpr std::string_view units = " kMGTPE";
  std::size_t unit = 0;
  for (; number >= 999.5 && unit + 1 < units.size(); ++unit) number /= 1000;
  if (unit == 0) return fmt::format("{:.0f}", number);
  return fmt::format("{:.{}f}{}", number, number < 9.95 ? 1 : 0, units[unit]);
}

std::string table(const Sample& sample, std::size_t width, std::size_t height) {
  constexpr std::size_t above = 4;  // the heading, an empty line, the titles
  const auto for_rows = height == unbounded ? unbounded : std::max(height, above + 1) - above;
  auto text = heading(sample, width) + "\n" + rows_of(sample, width, for_rows);
  const auto links = links_of(sample, width);
  const auto lines = [](const std::string& of) {
    return static_cast<std::size_t>(std::count(of.begin(), of.end(), '\n'));
  };
  if (height == unbounded || lines(text) + lines(links) <= height) text += links;
  return cut_lines(text, height);
}

json to_json(const Sample& sample) {
  const auto& head = sample.head;
  json all{{"program", trace::text_of(head.program)},
           {"host", trace::text_of(head.host)},
           {"process", head.pid},
           {"time_s", static_cast<double>(head.time) * 1e-9},
           {"over", head.stage == trace::Stage::over},
           {"lost", sample.lost},
           {"leaving", sample.leaving},
           {"left", sample.left},
           {"to_come", sample.to_come},
           {"silent", sample.silent}};
  all["total"] = figures(sample.total);
  all["links"] = json::array();
  for (const auto& link : sample.links)
    all["links"].push_back(
        {{"between", {link.one, link.other}},
         {"latency_s", link.latency < 0 ? json() : json(link.latency)},
         {"bytes_per_second", link.bytes_a_second == 0 ? json() : json(link.bytes_a_second)}});
  all["pes"] = json::array();
  for (const auto& line : sample.pes) all["pes"].push_back(of_pe(line));
  return all;
}

}  // namespace trawl::top
