#include "profiles/beside.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "profiles/axis.hpp"
#include "profiles/printable.hpp"

namespace trawl::profile {
namespace {

using nlohmann::json;

enum class Unit : std::uint8_t { seconds, share, bytes, number };

struct Quantity {
  std::string_view name;
  const char* where;  // in a summary
  Unit unit;
};

constexpr std::array quantities{
    Quantity{"elapsed", "/window", Unit::seconds},
    Quantity{"workers", "/workers", Unit::number},
    Quantity{"average parallelism", "/average_parallelism", Unit::number},
    Quantity{"in threads", "/report/shares/busy", Unit::share},
    Quantity{"between threads", "/report/shares/between_threads", Unit::share},
    Quantity{"in collections", "/report/shares/gc", Unit::share},
    Quantity{"before most ran", "/report/shares/late_start", Unit::share},
    Quantity{"after most ran", "/report/shares/tail", Unit::share},
    Quantity{"only blocked threads", "/report/shares/blocked", Unit::share},
    Quantity{"no sparks anywhere", "/report/shares/no_sparks", Unit::share},
    Quantity{"sparks on other PEs", "/report/shares/sparks_elsewhere", Unit::share},
    Quantity{"at the thread limit", "/report/shares/thread_limit", Unit::share},
    Quantity{"threads", "/total/threads", Unit::number},
    Quantity{"mean length", "/work/threads/mean", Unit::seconds},
    Quantity{"blocks", "/total/blocks", Unit::number},
    Quantity{"sparks sent away", "/total/sparks_exported", Unit::number},
    Quantity{"bytes of one", "/work/spark_bytes/mean", Unit::bytes},
    Quantity{"FISH", "/total/fish_sent", Unit::number},
    Quantity{"FISH in vain", "/total/fish_home", Unit::number},
    Quantity{"FETCH", "/total/fetch_sent", Unit::number},
    Quantity{"messages", "/total/messages_sent", Unit::number},
    Quantity{"collections", "/total/collections", Unit::number},
    Quantity{"path: threads run", "/report/critical_path/run", Unit::seconds},
    Quantity{"path: messages", "/report/critical_path/travel", Unit::seconds},
    Quantity{"path: no free worker", "/report/critical_path/queue", Unit::seconds},
};

constexpr std::size_t most_functions = 12;  // in a terminal

constexpr std::string_view name_of(Unit unit) {
  constexpr std::array names{"seconds", "share", "bytes", "number"};
  return names[static_cast<std::size_t>(unit)];
}

json value(const json& summary, const std::string& where) {
  if (where == "/window") return summary.at("to").get<double>() - summary.at("from").get<double>();
  const json::json_pointer at(where);
  return summary.contains(at) ? summary.at(at) : json();
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
  struct Both {
    const json* run[2] = {nullptr, nullptr};
  };
  // Several may be spelt alike, as two lambdas in one function are: the longest is the longest's.
  std::map<std::pair<std::string, int>, Both> by_name;
  for (const auto& [summary, at] : {std::pair(&first, 0), std::pair(&second, 1)}) {
    std::map<std::string, int> times;
    for (const auto& each : summary->at("/report/functions"_json_pointer)) {
      const auto name = each.at("function").get<std::string>();
      by_name[{name, times[name]++}].run[at] = &each;
    }
  }
  std::vector<json> all;
  for (const auto& [name, both] : by_name)
    all.push_back({{"function", name.first},
                   {"short", (both.run[0] != nullptr ? both.run[0] : both.run[1])->at("short")},
                   {"first", function(both.run[0])},
                   {"second", function(both.run[1])}});
  std::stable_sort(all.begin(), all.end(), [](const json& one, const json& other) {
    return difference(one) > difference(other);
  });
  return all;
}

std::string shown(const json& number, std::string_view unit) {
  if (!number.is_number()) return "-";
  const auto x = number.get<double>();
  if (unit == "seconds") return duration(x * 1e9);
  if (unit == "share") return fmt::format("{:.1f} %", 100 * x);
  return x == std::round(x) && x < 1e15 ? fmt::format("{:.0f}", x) : fmt::format("{:.4g}", x);
}

/// What became of it: a factor, or of a share its change.
std::string change(const json& first, const json& second, std::string_view unit) {
  if (!first.is_number() || !second.is_number()) return "";
  const auto a = first.get<double>();
  const auto b = second.get<double>();
  if (unit == "share") return fmt::format("{:+.1f}", 100 * (b - a));
  if (a == b) return "=";
  if (a == 0) return "new";
  return fmt::format("x {:.3g}", b / a);
}

}  // namespace

json beside(const json& first, const json& second) {
  auto all = json::array();
  for (const auto& each : quantities)
    all.push_back({{"name", each.name},
                   {"unit", name_of(each.unit)},
                   {"first", value(first, each.where)},
                   {"second", value(second, each.where)}});
  return {{"quantities", std::move(all)}, {"functions", functions(first, second)}};
}

std::string beside_table(const json& beside, const std::string& first, const std::string& second) {
  auto out =
      fmt::format("A: {}\nB: {}\n{:<30}{:>14}{:>14}  from A to B\n", first, second, "", "A", "B");
  for (const auto& each : beside["quantities"]) {
    const auto unit = each["unit"].get<std::string>();
    const auto name = each["name"].get<std::string>() + (unit == "share" ? ", of time" : "");
    out += fmt::format("{:<30}{:>14}{:>14}  {}\n", name, shown(each["first"], unit),
                       shown(each["second"], unit), change(each["first"], each["second"], unit));
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
                       functions[i]["short"].get<std::string>(), shown(a["threads"], "number"),
                       shown(b["threads"], "number"), shown(a["ran"], "seconds"),
                       shown(b["ran"], "seconds"), shown(a["mean"], "seconds"),
                       shown(b["mean"], "seconds"), change(a["ran"], b["ran"], "seconds"));
  }
  if (functions.size() > most_functions)
    out += fmt::format("  (and {} more)\n", functions.size() - most_functions);
  return printable(out);
}

}  // namespace trawl::profile
