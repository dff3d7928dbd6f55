#include "rts/balance/choices.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace trawl::balance {

int random_unvisited(const Tables& tables, std::span<const int> pes, const Fish& fish, Dice& dice) {
  const auto fits = [&](int pe) {
    return pe != fish.thief && pe != tables.self() && !fish.has_visited(pe);
  };
  const bool few = pes.size() <= fish.age + 2U;  // it may exclude them all
  if (few && std::none_of(pes.begin(), pes.end(), fits)) return -1;
  // A fish excludes few PEs, so walking on from anywhere soon ends; drawing again is fairer.
  for (int tries = 0; tries < 16; ++tries)
    if (const int pe = dice.one_of(pes); fits(pe)) return pe;
  const auto start = dice.below(pes.size());
  for (std::size_t i = 0; i < pes.size(); ++i)
    if (const int pe = pes[(start + i) % pes.size()]; fits(pe)) return pe;
  return -1;
}

int random_near(const Tables& tables, Dice& dice) {
  const auto members = tables.members(tables.own_cluster());
  if (members.size() < 2) return -1;
  const int pe = dice.one_of(members.first(members.size() - 1));
  return pe == tables.self() ? members.back() : pe;
}

unsigned count_far(const Situation& pe, bool far) noexcept {
  return static_cast<unsigned>(std::count_if(pe.under_way.begin(), pe.under_way.end(),
                                             [far](const Cast& cast) { return cast.far == far; }));
}

double relative_load(const Tables& tables, int pe) {
  const auto& load = tables.load_of(pe);
  return (double{1} * load.sparks + load.runnable) / tables.strength_now(pe);
}

unsigned watermark_by_strength(const Tables& tables, unsigned flag) {
  const auto strength = tables.strength_now(tables.self());
  constexpr double rounding = 1e-9;  // of the mean: it must not lift an exact result by one
  const auto sparks = std::ceil(flag * (strength / tables.mean_strength_now()) * (1 - rounding));
  if (!(sparks > 0)) return 0;
  return static_cast<unsigned>(std::min(sparks, double{std::numeric_limits<unsigned>::max()}));
}

bool is_near(const Tables& tables, int pe) {
  constexpr Nanos same_site = 200'000;  // differences below this are noise
  if (tables.has_clusters()) return !tables.is_far(pe);
  const auto& latency = tables.latency_to(pe);
  return latency.measured < 0 ||
         latency.one_way <= std::max(4 * tables.lowest_latency(), same_site);
}

int closeness(const Tables& tables, std::uint32_t one, std::uint32_t other) {
  constexpr int same = 64;
  if (one == other) return same;
  const auto latency = tables.latency_between(one, other);
  if (latency.measured < 0) return 0;
  return (same - static_cast<int>(std::bit_width(static_cast<std::uint64_t>(latency.one_way)))) / 2;
}

void Busiest::offer(int pe, int near, double load) {
  if (pe_ >= 0 && (near != near_ ? near < near_ : load < load_)) return;
  const bool equal = pe_ >= 0 && near == near_ && !(load > load_);
  equals_ = equal ? equals_ + 1 : 1;
  if (equal && dice_.below(equals_) != 0) return;
  pe_ = pe;
  near_ = near;
  load_ = load;
}

}  // namespace trawl::balance
