// Grid-GUM2 (section 3, figure 3): work is looked for at the PE that is busiest for its speed, near
// first; a strong cluster is sent several sparks at once, in a SUPER-SCHEDULE. Where the tables say
// nothing, it is Grid-GUM: anywhere.
#include <algorithm>
#include <cmath>

#include "rts/balance/choices.hpp"

namespace trawl::balance {
namespace {

constexpr double longest_super_schedule = 32;

int nearness(const Tables& tables, int pe) {
  if (!tables.has_clusters()) return is_near(tables, pe) ? 1 : 0;
  return closeness(tables, tables.own_cluster(), tables.cluster_of(pe));
}

class Targeted final : public Policy {
 public:
  Decision next(const Tables& tables, const Situation& pe, std::uint64_t random) const override {
    const auto others = tables.others();
    if (!pe.hungry || pe.under_way.size() >= pe.most_near || others.empty()) return {};
    if (pe.now < pe.near_after) return {.again = pe.near_after};
    Dice dice(random);
    Busiest busiest(dice);
    for_each_with_sparks(tables, [&](int each) {
      busiest.offer(each, nearness(tables, each), relative_load(tables, each));
    });
    return {.victim = busiest.pe() >= 0 ? busiest.pe() : dice.one_of(others)};
  }

  /// To the busiest of those nearest the thief, if anybody has sparks.
  int forward(const Tables& tables, const Fish& fish, std::uint64_t random) const override {
    if (tables.lost(fish.thief)) return -1;
    if (fish.age >= Fish::max_age) return fish.thief;
    Dice dice(random);
    Busiest busiest(dice);
    const auto home = tables.cluster_of(fish.thief);
    for_each_with_sparks(tables, [&](int each) {
      if (each == fish.thief || fish.has_visited(each)) return;
      busiest.offer(each, closeness(tables, tables.cluster_of(each), home),
                    relative_load(tables, each));
    });
    return busiest.pe() < 0 ? fish.thief : busiest.pe();
  }

  /// The paper gives no numbers, and never measured it. A cluster that is so many times as strong
  /// as this one gets as many sparks, more the farther it is (one more share each time that the
  /// latency doubles, from 1 ms), but of what there is no more than its share of both strengths.
  std::uint32_t portion(const Tables& tables, const Fish& fish, const Supply& has) const override {
    const auto thiefs = tables.cluster_of(fish.thief);
    if (thiefs == tables.own_cluster()) return 1;
    const auto strength = tables.cluster_strength(thiefs);
    const auto own = tables.cluster_strength(tables.own_cluster());
    if (strength <= own) return 1;
    const auto& latency = tables.latency_to(fish.thief);
    const double millis = latency.measured < 0 ? 0 : static_cast<double>(latency.one_way) * 1e-6;
    const double wanted = std::round(strength / own * (1 + std::log2(1 + millis)));
    const double fair = std::floor(has.spare * strength / (strength + own));
    return static_cast<std::uint32_t>(
        std::max(1.0, std::min({wanted, fair, longest_super_schedule})));
  }

  unsigned low_watermark(const Tables& tables, unsigned flag) const override {
    return watermark_by_strength(tables, flag);
  }
};

}  // namespace

std::unique_ptr<Policy> make_targeted() {
  return std::make_unique<Targeted>();
}

}  // namespace trawl::balance
