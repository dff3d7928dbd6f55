#include "profiles/decisions.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "profiles/axis.hpp"
#include "rts/trace/format.hpp"

namespace trawl::profile {
namespace {

using trace::Event;
using trace::Kind;

constexpr std::size_t most_listed = 20;
constexpr std::size_t most_parts = 8;

/// Of one PE: a decision's parts follow it, but for other workers' events between.
class DecisionFollower {
 public:
  explicit DecisionFollower(std::vector<Decision>& all) : all_(all) {}

  void see(const Event& event) {
    if (event.kind == Kind::balance) {
      all_.push_back({event.time,
                      event.id * 1e3,
                      event.size * 1e3,
                      event.value * 1024.0,
                      event.extra != 0,
                      {}});
      open_ = true;
    } else if (event.kind == Kind::balance_share && open_) {
      all_.back().parts.push_back({event.value, event.id / 1e3, event.extra / 1e3, event.size});
    }
  }

 private:
  std::vector<Decision>& all_;
  bool open_ = false;
};

std::string shares(const Decision& decision) {
  std::string text;
  std::size_t listed = 0;
  for (const auto& part : decision.parts) {
    if (part.before == part.after && part.come == 0) continue;
    if (++listed > most_parts) return text + ", ...";
    text += fmt::format("{}PE {} {:.1f} to {:.1f} %", text.empty() ? "" : ", ", part.pe,
                        100 * part.before, 100 * part.after);
  }
  return text;
}

}  // namespace

std::vector<Decision> find_decisions(const Run& run, Nanos from, Nanos to) {
  std::vector<Decision> all;
  for (const auto& log : run.logs) {
    DecisionFollower follower(all);
    replay(
        log,
        [&](const Event& event) {
          if (event.time >= from && event.time <= to) follower.see(event);
        },
        nullptr);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.time < b.time; });
  return all;
}

std::string decisions_table(const std::vector<Decision>& decisions) {
  if (decisions.empty()) return {};
  const auto moves = std::count_if(decisions.begin(), decisions.end(),
                                   [](const auto& decision) { return decision.moves; });
  auto out =
      fmt::format("\nbalance of skeletons: shards moved {} times of {}; a step as predicted\n",
                  moves, decisions.size());
  const auto first = decisions.size() - std::min(decisions.size(), most_listed);
  if (first > 0) out += fmt::format("  ({} before these)\n", first);
  for (std::size_t i = first; i < decisions.size(); ++i) {
    const auto& decision = decisions[i];
    out += fmt::format("{:>10}  {} to {}, ", duration(static_cast<double>(decision.time)),
                       duration(decision.before), duration(decision.after));
    if (decision.moves)
      out += fmt::format("{:.0f} KiB moved: {}\n", decision.bytes / 1024, shares(decision));
    else
      out += "nothing moved: it did not pay\n";
  }
  return out;
}

nlohmann::json decisions_json(const std::vector<Decision>& decisions) {
  auto all = nlohmann::json::array();
  for (const auto& decision : decisions) {
    auto parts = nlohmann::json::array();
    for (const auto& part : decision.parts)
      parts.push_back({{"pe", part.pe},
                       {"before", part.before},
                       {"after", part.after},
                       {"shards_come", part.come}});
    all.push_back({{"time", static_cast<double>(decision.time) / 1e9},
                   {"step_before", decision.before / 1e9},
                   {"step_after", decision.after / 1e9},
                   {"bytes", decision.bytes},
                   {"moves", decision.moves},
                   {"shares", std::move(parts)}});
  }
  return all;
}

}  // namespace trawl::profile
