#include "profiles/tune/levels.hpp"

#include <algorithm>
#include <numeric>

#include "rts/inline/error.hpp"
#include "rts/options/flags.hpp"

namespace tune {
namespace {

struct Tried {
  const char* flag;
  std::vector<std::string> levels;  // with the default among them
};

std::vector<Tried> tried() {
  return {
      {"low-watermark", {"0", "1", "2", "4", "8"}},
      {"thread-limit", {"4", "16", "64", "1024"}},
      {"packet-size", {"1K", "8K", "64K", "512K"}},
      {"thunks-per-packet", {"0", "16", "1024"}},
      {"fish-delay", {"5", "20", "100", "1000"}},
      {"fish-delay-max", {"1000", "5000", "20000", "80000"}},
      {"max-fish", {"0", "1", "2", "4"}},
  };
}

std::string usual_value(const std::string& name) {
  const auto* flag = trawl::find_flag(name);
  if (flag == nullptr) throw trawl::Error("the runtime has no flag " + name);
  return flag->shown(trawl::Options{});
}

bool accepted(const Words& fixed, const std::string& name, const std::string& level) {
  std::vector<std::string> words{"trawl-tune"};
  words.insert(words.end(), fixed.begin(), fixed.end());
  words.push_back("--trawl:" + name + "=" + level);
  try {
    trawl::take_options(words);
  } catch (const trawl::Error&) {
    return false;
  }
  return true;
}

/// Without the levels that the runtime refuses beside what is fixed. The default is no word.
Factor factor(const Words& fixed, const std::string& name, std::vector<std::string> levels) {
  const auto value = usual_value(name);
  std::erase_if(levels,
                [&](const auto& level) { return level != value && !accepted(fixed, name, level); });
  const auto found = std::find(levels.begin(), levels.end(), value);
  const auto usual = static_cast<std::size_t>(found - levels.begin());
  if (found == levels.end()) levels.push_back(value);
  return {name, std::move(levels), usual};
}

int workers_of(const nlohmann::json& cluster) {
  return cluster.value("workers", 1);
}

int pes_of(const nlohmann::json& cluster) {
  return cluster.value("pes", 1);
}

/// `share` says how many PEs each of a cluster's becomes.
template <class Share>
nlohmann::json divided(const nlohmann::json& grid, Share share) {
  auto other = grid;
  std::vector<int> first, parts;  // by PE of the grid as it is
  int next = 0;
  for (auto& cluster : other["clusters"]) {
    const int part = share(cluster);
    for (int i = 0; i < pes_of(cluster); ++i, next += part) {
      first.push_back(next);
      parts.push_back(part);
    }
    cluster["pes"] = pes_of(cluster) * part;
    cluster["workers"] = workers_of(cluster) / part;
  }
  for (const char* what : {"speed_changes", "joins", "deaths"}) {
    if (!grid.contains(what)) continue;
    other[what] = nlohmann::json::array();
    for (const auto& event : grid[what]) {
      const auto pe = event["pe"].get<std::size_t>();
      for (int i = 0; i < parts.at(pe); ++i) {
        other[what].push_back(event);
        other[what].back()["pe"] = first.at(pe) + i;
      }
    }
  }
  return other;
}

}  // namespace

Space flags_to_try(const Words& fixed) {
  Space space;
  const auto is_fixed = [&fixed](const std::string& name) {
    return std::any_of(fixed.begin(), fixed.end(), [&name](const std::string& word) {
      return word.starts_with("--trawl:" + name + "=");
    });
  };
  for (const auto& [name, levels] : tried())
    if (!is_fixed(name)) space.push_back(factor(fixed, name, levels));
  const auto policies = trawl::find_flag("policy")->choices();
  if (!is_fixed("policy"))
    space.push_back(
        factor(fixed, "policy", std::vector<std::string>(policies.begin(), policies.end())));
  return space;
}

std::vector<Layout> layouts(const nlohmann::json& grid) {
  int common = 0, most = 1;
  for (const auto& cluster : grid["clusters"]) {
    common = std::gcd(common, workers_of(cluster));
    most = std::max(most, workers_of(cluster));
  }
  std::vector<Layout> all{{"1", grid}};
  for (int part = 2; part <= common && part < most; ++part)
    if (common % part == 0)
      all.push_back({std::to_string(part), divided(grid, [part](const auto&) { return part; })});
  if (most > 1)
    all.push_back(
        {"each core", divided(grid, [](const auto& cluster) { return workers_of(cluster); })});
  return all;
}

Words words_of(const Space& space, const Setting& setting) {
  Words words;
  for (std::size_t i = 0; i < space.size(); ++i)
    if (setting[i] != space[i].usual && space[i].name != pes_a_host)
      words.push_back("--trawl:" + space[i].name + "=" + space[i].levels[setting[i]]);
  return words;
}

}  // namespace tune
