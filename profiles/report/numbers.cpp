// The report as JSON, and for a terminal.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "profiles/axis.hpp"
#include "profiles/printable.hpp"
#include "profiles/report/report.hpp"
#include "profiles/report/wording.hpp"

namespace trawl::profile {
namespace {

constexpr std::size_t most_functions = 12;  // in a terminal
constexpr std::size_t most_in_json = 500;
constexpr std::size_t line_width = 100;

nlohmann::json shares_json(const Shares& shares) {
  nlohmann::json json;
  for (const auto& each : share_names) json[std::string(each.json)] = shares.*each.share;
  return json;
}

/// Nothing is to be changed about a run in which nothing stands out.
std::string advice(const FunctionAudit& function, const Report& report) {
  return report.findings.empty() ? std::string() : advice_for(function, report.facts);
}

nlohmann::json sites_json(const FunctionAudit& function) {
  auto sites = nlohmann::json::array();
  for (const auto& line : function.sites)
    sites.push_back({{"file", line.file}, {"line", line.number}, {"short", to_string(line)}});
  return sites;
}

/// "tree.cpp:12", "tree.cpp:12 and 2 more", or nothing.
std::string made_at(const FunctionAudit& function) {
  if (function.sites.empty()) return {};
  const auto first = to_string(function.sites.front());
  const auto more = function.sites.size() - 1;
  return more == 0 ? first : fmt::format("{} and {} more", first, more);
}

/// How many of its sparks, about; nothing where none was looked at.
nlohmann::json estimate(const FunctionAudit& function, double number) {
  return function.made_is_known() ? nlohmann::json(std::llround(number)) : nlohmann::json(nullptr);
}

std::string estimate_text(const FunctionAudit& function, double number) {
  return function.made_is_known() ? fmt::format("{:.0f}", std::round(number)) : "-";
}

nlohmann::json function_json(const FunctionAudit& function, const Report& report) {
  const auto on_path = report.path.by_function.find(function.code);
  return {{"function", function.name},
          {"short", function.called},
          {"made_at", sites_json(function)},
          {"sparks", estimate(function, function.sparks_made())},
          {"subsumed", estimate(function, function.subsumed())},
          {"fizzled", estimate(function, function.fizzled())},
          {"again", function.again},
          {"converted", function.converted},
          {"imported", function.imported},
          {"exported", function.exported},
          {"threads", function.ran_threads},
          {"ran", function.ran / 1e9},
          {"mean", function.mean() / 1e9},
          {"longest", static_cast<double>(function.longest) / 1e9},
          {"longest_pe", function.longest_pe},
          {"blocks", function.blocks},
          {"blocked", function.blocked / 1e9},
          {"blocked_afar", function.blocked_afar / 1e9},
          {"longest_block", static_cast<double>(function.longest_block) / 1e9},
          {"awaited", function.awaited / 1e9},
          {"queued", function.queued / 1e9},
          {"made", function.made},
          {"bytes_out", function.bytes_out},
          {"bytes_home", function.bytes_home},
          {"on_path", on_path == report.path.by_function.end() ? 0 : on_path->second / 1e9},
          {"advice", advice(function, report)}};
}

nlohmann::json path_json(const Path& path, const Shorter& shorter) {
  if (!path.known) return nullptr;
  const auto seconds = [&path](Step step) {
    return path.time[static_cast<std::size_t>(step)] / 1e9;
  };
  return {{"run", seconds(Step::run)},
          {"queue", seconds(Step::queue)},
          {"travel", seconds(Step::travel)},
          {"nothing_known", seconds(Step::none)},
          {"start", seconds(Step::start)},
          {"end", seconds(Step::end)},
          {"from_pe_to_pe", path.hops},
          {"from_thread_to_thread", path.wakes},
          {"shorter",
           {{"faster_links", shorter.links / 1e9},
            {"more_workers", shorter.workers / 1e9},
            {"smaller_sparks", shorter.pieces / 1e9},
            {"larger_sparks", shorter.between / 1e9}}}};
}

nlohmann::json links_json(const Messages& messages) {
  auto links = nlohmann::json::array();
  for (const auto& link : messages.links) {
    auto means = nlohmann::json::array();
    auto rates = nlohmann::json::array();
    for (const auto& part : link.over_time) {
      const auto number = static_cast<double>(part.number);
      means.push_back(part.number == 0 ? nlohmann::json(nullptr)
                                       : nlohmann::json(part.sum / number / 1e9));
      rates.push_back(static_cast<double>(part.bytes) / messages.part);
    }
    const auto if_known = [&link](double value) {
      return link.carries > 0 ? nlohmann::json(value) : nlohmann::json(nullptr);
    };
    links.push_back({{"from", link.from},
                     {"to", link.to},
                     {"messages", link.number},
                     {"bytes", link.bytes},
                     {"most_bytes_per_s", link.rate},
                     {"carries_bytes_per_s", if_known(link.carries)},
                     {"busy", if_known(link.busy)},
                     {"median", link.median / 1e9},
                     {"slow", link.slow / 1e9},
                     {"mean_over_time", std::move(means)},
                     {"bytes_per_s_over_time", std::move(rates)}});
  }
  return links;
}

/// Of each part of the time: threads that ran at once, sparks a second. The functions that ran
/// longest by themselves, as many as the page has colours for; the others together.
nlohmann::json over_time_json(const Report& report) {
  constexpr std::size_t apart = 7;
  const auto& over_time = report.over_time;
  const auto scaled = [](OverTime::Sums sums, double by) {
    for (auto& sum : sums) sum /= by;
    return nlohmann::json(sums);
  };
  OverTime::Sums others{};
  std::vector<nlohmann::json> running(std::min(apart, report.functions.size()));
  for (std::size_t i = 0; i < report.functions.size(); ++i) {
    const auto ran = over_time.ran().find(report.functions[i].code);
    const auto& sums = ran == over_time.ran().end() ? OverTime::Sums{} : ran->second;
    if (i < apart)
      running[i] = {{"function", report.functions[i].name},
                    {"threads", scaled(sums, over_time.length())}};
    else
      std::transform(sums.begin(), sums.end(), others.begin(), others.begin(), std::plus<>());
  }
  const double seconds = over_time.length() / 1e9;
  return {{"seconds", seconds},
          {"running", running},
          {"others", scaled(others, over_time.length())},
          {"converted", scaled(over_time.converted(), seconds)},
          {"imported", scaled(over_time.imported(), seconds)},
          {"exported", scaled(over_time.exported(), seconds)},
          {"made", scaled(over_time.made(), seconds)}};
}

/// The functions to be changed first: those with an advice, by what they have of the path.
std::vector<std::string> change_first(const Report& report) {
  std::vector<std::pair<double, std::string>> found;
  for (const auto& function : report.functions) {
    const auto text = advice(function, report);
    if (text.empty()) continue;
    const auto on_path = report.path.by_function.find(function.code);
    const double weight = on_path == report.path.by_function.end() ? 0 : on_path->second;
    const auto place = made_at(function);
    found.emplace_back(weight + function.ran * 1e-3,
                       fmt::format("{}{}: {}", function.called,
                                   place.empty() ? "" : " (made at " + place + ")", text));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> lines;
  for (auto& [weight, line] : found) {
    if (lines.size() == 5) break;
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string wrapped(const std::string& text) {
  std::istringstream words(text);
  std::string out;
  std::size_t column = 0;
  for (std::string word; words >> word; column += word.size() + 1) {
    if (column != 0 && column + word.size() > line_width) {
      out += '\n';
      column = 0;
    } else if (column != 0) {
      out += ' ';
    }
    out += word;
  }
  return out + '\n';
}

std::string functions_table(const Report& report) {
  std::string out =
      fmt::format("\n{:32} {:>8} {:>9} {:>9} {:>9} {:>9} {:>7}  {}\n", "threads, by function",
                  "number", "ran", "mean", "longest", "blocked", "path%", "made at");
  double all = 0;
  for (const auto time : report.path.time) all += time;
  for (std::size_t i = 0; i < std::min(most_functions, report.functions.size()); ++i) {
    const auto& function = report.functions[i];
    if (function.threads() == 0 && function.ran == 0) continue;  // only its values were waited for
    const auto on_path = report.path.by_function.find(function.code);
    const double share =
        on_path == report.path.by_function.end() || all <= 0 ? 0 : on_path->second / all;
    auto line = fmt::format("{:32.32} {:>8} {:>9} {:>9} {:>9} {:>9} {:>7.1f}  {}", function.called,
                            function.ran_threads, duration(function.ran), duration(function.mean()),
                            duration(static_cast<double>(function.longest)),
                            duration(function.blocked), 100 * share, made_at(function));
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  if (report.functions.size() > most_functions)
    out += fmt::format("  (and {} more)\n", report.functions.size() - most_functions);
  return out;
}

/// Where all sparks are of one function, their number is exact.
bool is_shared_out(const std::vector<FunctionAudit>& functions) {
  return std::count_if(functions.begin(), functions.end(), [](const FunctionAudit& each) {
           return each.sampled || each.begun != 0;
         }) > 1;
}

/// Of the same functions.
std::string sparks_table(const Report& report) {
  std::string out =
      fmt::format("\n{:32} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "sparks, by function",
                  "sparks", "subsumed", "fizzled", "own", "imported", "exported", "again");
  for (std::size_t i = 0; i < std::min(most_functions, report.functions.size()); ++i) {
    const auto& function = report.functions[i];
    if (std::llround(function.sparks_made()) == 0 && function.threads() == 0) continue;
    out += fmt::format("{:32.32} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", function.called,
                       estimate_text(function, function.sparks_made()),
                       estimate_text(function, function.subsumed()),
                       estimate_text(function, function.fizzled()), function.converted,
                       function.imported, function.exported, function.again);
  }
  if (is_shared_out(report.functions))
    out += "  (sparks, subsumed and fizzled: about, as some of the sparks were looked at)\n";
  return out;
}

/// Of the same functions.
std::string values_table(const Report& report) {
  std::string out =
      fmt::format("\n{:32} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "values, by function", "blocks",
                  "afar", "awaited", "queued", "out", "home");
  for (std::size_t i = 0; i < std::min(most_functions, report.functions.size()); ++i) {
    const auto& function = report.functions[i];
    out += fmt::format("{:32.32} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", function.called,
                       function.blocks, duration(function.blocked_afar), duration(function.awaited),
                       duration(function.queued), bytes(static_cast<double>(function.bytes_out)),
                       bytes(static_cast<double>(function.bytes_home)));
  }
  return out;
}

std::string links_table(const Messages& messages) {
  if (messages.links.empty()) return {};
  constexpr std::size_t most = 8;
  std::string out =
      fmt::format("\n{:32} {:>9} {:>9} {:>12} {:>9} {:>6} {:>9} {:>10}\n", "messages, by link",
                  "number", "bytes", "most bytes/s", "carries/s", "busy", "median", "one in 100");
  for (std::size_t i = 0; i < std::min(most, messages.links.size()); ++i) {
    const auto& link = messages.links[i];
    const bool known = link.carries > 0;
    out += fmt::format("{:32.32} {:>9} {:>9} {:>12} {:>9} {:>6} {:>9} {:>10}\n",
                       link_name(link.from, link.to), link.number,
                       bytes(static_cast<double>(link.bytes)), bytes(link.rate),
                       known ? bytes(link.carries) : "", known ? percent(link.busy) : "",
                       duration(link.median), duration(link.slow));
  }
  if (messages.links.size() > most)
    out += fmt::format("  (and {} more)\n", messages.links.size() - most);
  return out;
}

std::string path_line(const Facts& facts) {
  if (!facts.path_known) return {};
  return fmt::format(
      "critical path: threads run for {:.0f} % of it, wait for a worker for {:.0f} %, messages are "
      "under way for {:.0f} %, of {:.0f} % nothing is known, and {:.0f} % are before the first and "
      "after "
      "the last; {} times from PE to PE\n",
      100 * facts.path_run, 100 * facts.path_queue, 100 * facts.path_travel, 100 * facts.path_none,
      100 * facts.path_ends, facts.path_hops);
}

std::string shorter_line(const Report& report) {
  if (!report.path.known) return {};
  const auto& by = report.shorter;
  return fmt::format(
      "shorter, by about: links twice as fast {}, twice the workers {}, smaller sparks {}, larger "
      "sparks {}\n",
      duration(by.links), duration(by.workers), duration(by.pieces), duration(by.between));
}

std::string shares_line(const Shares& shares) {
  std::string out = "workers' time:";
  for (const auto& each : share_names)
    if (const double share = shares.*each.share; share >= 0.0005)
      out += fmt::format(" {} {:.1f} %,", each.words, 100 * share);
  out.back() = '\n';
  return out;
}

}  // namespace

nlohmann::json report_json(const Report& report) {
  auto functions = nlohmann::json::array();
  for (std::size_t i = 0; i < std::min(most_in_json, report.functions.size()); ++i)
    functions.push_back(function_json(report.functions[i], report));
  auto findings = nlohmann::json::array();
  for (const auto& finding : report.findings)
    findings.push_back({{"limit", name_of(finding.limit)},
                        {"cost", finding.cost},
                        {"evidence", finding.evidence},
                        {"advice", finding.advice}});
  auto changes = nlohmann::json::array();
  for (const auto& change : report.changes)
    changes.push_back({{"time", static_cast<double>(change.time) / 1e9},
                       {"pe", change.pe},
                       {"what", name_of(change.what)}});
  return {{"words", in_words(report.facts, report.findings)},
          {"findings", std::move(findings)},
          {"shares", shares_json(report.facts.shares)},
          {"functions", std::move(functions)},
          {"change_first", change_first(report)},
          {"over_time", over_time_json(report)},
          {"critical_path", path_json(report.path, report.shorter)},
          {"links", links_json(report.messages)},
          {"changes", std::move(changes)}};
}

std::string report_table(const Report& report) {
  auto out = functions_table(report);
  out += sparks_table(report);
  if (report.facts.pes > 1) out += values_table(report) + links_table(report.messages);
  out += '\n' + path_line(report.facts) + shorter_line(report) + shares_line(report.facts.shares);
  for (const auto& line : change_first(report)) out += "change first: " + line + "\n";
  return printable(out + "\n" + wrapped(in_words(report.facts, report.findings)));
}

}  // namespace trawl::profile
