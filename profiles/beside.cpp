#include "profiles/beside.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "profiles/axis.hpp"
#include "profiles/printable.hpp"
#include "profiles/report/facts.hpp"

namespace trawl::profile {
namespace {

using nlohmann::json;

struct Quantity {
  std::string_view name, unit;
  const char* where;  // in a summary
};

constexpr std::string_view seconds = "seconds";
constexpr std::string_view share = "share";
constexpr std::string_view bytes = "bytes";
constexpr std::string_view number = "number";

// After the elapsed time, and where it went.
constexpr std::array quantities{
    Quantity{"workers", number, "/workers"},
    Quantity{"average parallelism", number, "/average_parallelism"},
    Quantity{"threads", number, "/total/threads"},
    Quantity{"blocks", number, "/total/blocks"},
    Quantity{"sparks sent away", number, "/total/sparks_exported"},
    Quantity{"bytes of one", bytes, "/work/spark_bytes/mean"},
    Quantity{"FISH", number, "/total/fish_sent"},
    Quantity{"FISH in vain", number, "/total/fish_home"},
    Quantity{"FETCH", number, "/total/fetch_sent"},
    Quantity{"messages", number, "/total/messages_sent"},
    Quantity{"collections", number, "/total/collections"},
    Quantity{"path: threads run", seconds, "/report/critical_path/run"},
    Quantity{"path: messages", seconds, "/report/critical_path/travel"},
    Quantity{"path: no free worker", seconds, "/report/critical_path/queue"},
};

constexpr std::size_t most_functions = 12;  // in a terminal

json value(const json& summary, const std::string& where) {
  const json::json_pointer at(where);
  return summary.contains(at) ? summary.at(at) : json();
}

/// Of all threads, wherever their sparks were made.
json mean_of_threads(const json& summary) {
  double threads = 0;
  double sum = 0;
  for (const auto* which : {"/work/threads", "/work/threads_of_imported"}) {
    const auto count = value(summary, std::string(which) + "/count");
    const auto mean = value(summary, std::string(which) + "/mean");
    if (!count.is_number() || !mean.is_number()) return nullptr;
    threads += count.get<double>();
    sum += count.get<double>() * mean.get<double>();
  }
  return threads == 0 ? 0 : sum / threads;
}

double window(const json& summary) {
  return summary.at("to").get<double>() - summary.at("from").get<double>();
}

json quantity(const std::string& name, std::string_view unit, const json& first,
              const json& second) {
  return {{"name", name}, {"unit", unit}, {"first", first}, {"second", second}};
}

/// What a run says of a function; zeros where it never ran.
json function(const json* found) {
  constexpr std::array fields{"threads", "ran", "mean", "blocked", "exported", "on_path"};
  json numbers;
  for (const char* field : fields) numbers[field] = found == nullptr ? json(0) : found->at(field);
  return numbers;
}

double difference(const json& both) {
  return std::abs(both["second"]["ran"].get<double>() - both["first"]["ran"].get<double>());
}

json functions(const json& first, const json& second) {
  using Both = std::array<const json*, 2>;
  // Several may be spelt alike, as two lambdas in one function are: the longest is the longest's.
  std::map<std::pair<std::string, int>, Both> by_name;
  for (const auto& [summary, at] : {std::pair(&first, 0U), std::pair(&second, 1U)}) {
    std::map<std::string, int> times;
    for (const auto& each : summary->at("/report/functions"_json_pointer)) {
      const auto name = each.at("function").get<std::string>();
      by_name[{name, times[name]++}][at] = &each;
    }
  }
  std::vector<json> all;
  for (const auto& [name, both] : by_name)
    all.push_back({{"function", name.first},
                   {"short", (both[0] != nullptr ? both[0] : both[1])->at("short")},
                   {"first", function(both[0])},
                   {"second", function(both[1])}});
  std::stable_sort(all.begin(), all.end(), [](const json& one, const json& other) {
    return difference(one) > difference(other);
  });
  return all;
}

std::string shown(const json& value, std::string_view unit) {
  if (!value.is_number()) return "-";
  const auto x = value.get<double>();
  if (unit == seconds) return duration(x * 1e9);
  if (unit == share) return fmt::format("{:.1f} %", 100 * x);
  return x == std::round(x) && x < 1e15 ? fmt::format("{:.0f}", x) : fmt::format("{:.4g}", x);
}

/// What became of it: a factor, or of a share its change.
std::string change(const json& first, const json& second, std::string_view unit) {
  if (!first.is_number() || !second.is_number()) return "";
  const auto a = first.get<double>();
  const auto b = second.get<double>();
  if (unit == share) return fmt::format("{:+.1f}", 100 * (b - a));
  if (a == b) return "=";
  if (a == 0) return "new";
  return fmt::format("x {:.3g}", b / a);
}

}  // namespace

json beside(const json& first, const json& second) {
  auto all = json::array({quantity("elapsed", seconds, window(first), window(second))});
  for (const auto& each : share_names) {
    const auto where = "/report/shares/" + std::string(each.json);
    all.push_back(quantity(std::string(each.words) + ", of time", share, value(first, where),
                           value(second, where)));
  }
  for (const auto& each : quantities) {
    all.push_back(quantity(std::string(each.name), each.unit, value(first, each.where),
                           value(second, each.where)));
    if (each.name == "threads")
      all.push_back(
          quantity("mean length", seconds, mean_of_threads(first), mean_of_threads(second)));
  }
  return {{"quantities", std::move(all)}, {"functions", functions(first, second)}};
}

std::string beside_table(const json& beside, const std::string& first, const std::string& second) {
  auto out =
      fmt::format("A: {}\nB: {}\n{:<30}{:>14}{:>14}  from A to B\n", first, second, "", "A", "B");
  for (const auto& each : beside["quantities"]) {
    const auto unit = each["unit"].get<std::string>();
    out += fmt::format("{:<30}{:>14}{:>14}  {}\n", each["name"].get<std::string>(),
                       shown(each["first"], unit), shown(each["second"], unit),
                       change(each["first"], each["second"], unit));
  }
  const auto& functions = beside["functions"];
  if (functions.empty()) return printable(out);
  out += "\nthreads, by function, those first that changed most\n";
  out += fmt::format("{:<34}{:>9}{:>9}{:>11}{:>11}{:>11}{:>11}  {}\n", "", "threads A", "B",
                     "ran A", "B", "mean A", "B", "ran");
  for (std::size_t i = 0; i < std::min(functions.size(), most_functions); ++i) {
    const auto& a = functions[i]["first"];
    const auto& b = functions[i]["second"];
    out += fmt::format("{:<34.33}{:>9}{:>9}{:>11}{:>11}{:>11}{:>11}  {}\n",
                       functions[i]["short"].get<std::string>(), shown(a["threads"], number),
                       shown(b["threads"], number), shown(a["ran"], seconds),
                       shown(b["ran"], seconds), shown(a["mean"], seconds),
                       shown(b["mean"], seconds), change(a["ran"], b["ran"], seconds));
  }
  if (functions.size() > most_functions)
    out += fmt::format("  (and {} more)\n", functions.size() - most_functions);
  return printable(out);
}

}  // namespace trawl::profile
