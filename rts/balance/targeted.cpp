// Grid-GUM2 (section 3): work is looked for at the PE that is busiest for its speed, near first.
#include <algorithm>
#include <cmath>
#include <limits>

#include "rts/balance/policy.hpp"

namespace trawl::balance {
namespace {

constexpr std::uint32_t max_unguided_age = 3;

/// Who is near this PE: its cluster or, if there is only one, whoever answers about as fast as the
/// nearest does. A PE of unknown latency counts as near.
class Neighbourhood {
 public:
  explicit Neighbourhood(const Tables& tables) : tables_(tables) {
    if (tables.has_clusters()) return;
    auto lowest = std::numeric_limits<Nanos>::max() / 4;
    for (const int pe : tables.others()) {
      const auto& latency = tables.latency_to(pe);
      if (latency.measured >= 0) lowest = std::min(lowest, latency.one_way);
    }
    limit_ = std::max(4 * lowest, same_site);
  }

  bool contains(int pe) const {
    if (tables_.has_clusters()) {
      return tables_.static_of(pe).cluster == tables_.static_of(tables_.self()).cluster;
    }
    const auto& latency = tables_.latency_to(pe);
    return latency.measured < 0 || latency.one_way <= limit_;
  }

 private:
  static constexpr Nanos same_site = 200'000;  // differences below this are noise

  const Tables& tables_;
  Nanos limit_ = 0;
};

/// Keeps the best candidate offered: near before far, then the higher load for its speed, then, of
/// equals, any with the same probability.
class Busiest {
 public:
  explicit Busiest(Dice& dice) : dice_(dice) {}

  void offer(int pe, bool near, double load) {
    if (pe_ >= 0 && (near != near_ ? near_ : load < load_)) return;
    const bool equal = pe_ >= 0 && near == near_ && !(load > load_);
    equals_ = equal ? equals_ + 1 : 1;
    if (equal && dice_.below(equals_) != 0) return;
    pe_ = pe;
    near_ = near;
    load_ = load;
  }

  int pe() const { return pe_; }

 private:
  Dice& dice_;
  int pe_ = -1;
  bool near_ = false;
  double load_ = 0;
  std::uint64_t equals_ = 0;
};

double relative_load(const Tables& tables, int pe) {
  const auto& load = tables.load_of(pe);
  return (double{1} * load.sparks + load.runnable) / tables.static_of(pe).speed;
}

/// How good a guess a PE without known sparks is: threads that run may spark again.
std::uint64_t promise(const Tables& tables, int pe) {
  if (!tables.known(pe)) return 2;
  return tables.load_of(pe).runnable > 0 ? 4 : 1;
}

/// A random PE, the nearer and the more promising with the higher probability.
int guess(const Tables& tables, const Neighbourhood& near, Dice& dice) {
  constexpr int main_pe = 0;
  // Before anything is heard of it, the main PE is the one that certainly has work.
  const bool main_unheard =
      tables.self() != main_pe && !tables.lost(main_pe) && !tables.known(main_pe);
  if (main_unheard && dice.below(2) == 0) return main_pe;

  std::uint64_t near_total = 0;
  std::uint64_t far_total = 0;
  for (const int pe : tables.others()) {
    (near.contains(pe) ? near_total : far_total) += promise(tables, pe);
  }
  if (near_total + far_total == 0) return -1;
  // However many are far away, three of four guesses are near; and a PE that is near is always at
  // least four times as likely as one that is far.
  const auto near_share = near_total == 0 ? 0 : std::max(4 * near_total, 3 * far_total);
  const bool want_near = dice.below(near_share + far_total) < near_share;
  auto left = dice.below(want_near ? near_total : far_total);
  for (const int pe : tables.others()) {
    if (near.contains(pe) != want_near) continue;
    const auto weight = promise(tables, pe);
    if (left < weight) return pe;
    left -= weight;
  }
  return -1;
}

class Targeted final : public Policy {
 public:
  std::string_view name() const override { return "targeted"; }

  int victim(const Tables& tables, std::uint64_t random) const override {
    Dice dice(random);
    const Neighbourhood near(tables);
    Busiest busiest(dice);
    for (const int pe : tables.others()) {
      if (tables.load_of(pe).sparks == 0) continue;
      busiest.offer(pe, near.contains(pe), relative_load(tables, pe));
    }
    return busiest.pe() >= 0 ? busiest.pe() : guess(tables, near, dice);
  }

  int forward(const Tables& tables, const Fish& fish, std::uint64_t random) const override {
    if (tables.lost(fish.thief)) return -1;
    if (fish.age >= Fish::max_age) return fish.thief;
    Dice dice(random);
    Busiest busiest(dice);
    const auto home = tables.static_of(fish.thief).cluster;
    for (const int pe : tables.others()) {
      if (tables.load_of(pe).sparks == 0 || pe == fish.thief || fish.has_visited(pe)) continue;
      busiest.offer(pe, tables.static_of(pe).cluster == home, relative_load(tables, pe));
    }
    if (busiest.pe() >= 0) return busiest.pe();
    const int next = fish.age <= max_unguided_age ? random_unvisited(tables, fish, dice) : -1;
    return next < 0 ? fish.thief : next;
  }

  unsigned low_watermark(const Tables& tables, unsigned flag) const override {
    const auto speed = tables.static_of(tables.self()).speed;
    constexpr double rounding = 1e-9;  // of the mean: it must not lift an exact result by one
    const auto sparks = std::ceil(flag * (speed / tables.mean_speed()) * (1 - rounding));
    if (!(sparks > 0)) return 0;
    return static_cast<unsigned>(std::min(sparks, double{std::numeric_limits<unsigned>::max()}));
  }
};

}  // namespace

std::unique_ptr<Policy> make_targeted() {
  return std::make_unique<Targeted>();
}

}  // namespace trawl::balance
