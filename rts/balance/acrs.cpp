// Adaptive cluster-aware random stealing (Satin paper, section 3.6): crs, but a far cluster is
// chosen with a probability that is inverse to the time that the last steal there took.
#include "rts/balance/crs.hpp"

namespace trawl::balance {
namespace {

class Acrs final : public ClusterAware {
 public:
 private:
  static double chance(const Tables& tables, std::uint64_t cluster) {
    const auto at = static_cast<std::uint32_t>(cluster);
    return tables.members(at).empty() ? 0 : 1.0 / static_cast<double>(tables.last_steal(at).took);
  }

  /// In a cluster where nothing was stolen yet, all with the same probability.
  static int untried_victim(const Tables& tables, Dice& dice) {
    for (int i = 0; i < draws; ++i) {
      const auto each = static_cast<std::uint32_t>(dice.below(tables.clusters()));
      const auto members = tables.members(each);
      if (each != tables.own_cluster() && !members.empty() && tables.last_steal(each).took < 0)
        return dice.one_of(members);
    }
    return dice.one_of(tables.far());  // they are few among many: one soon comes along
  }

  // One where nothing was stolen yet is taken to be as fast as the fastest: so it is soon known.
  int far_victim(const Tables& tables, const Situation& pe, Dice& dice) const override {
    if (count_far(pe, true) != 0) return -1;
    double sum = 0;
    auto untried = tables.inhabited() - 1;
    for (const auto& each : tables.steals()) {
      const auto share = chance(tables, each.key);
      sum += share;
      if (share > 0) --untried;
    }
    sum += untried / static_cast<double>(std::max<Nanos>(tables.fastest_steal(), 1));
    double left = dice.share() * sum;
    for (const auto& each : tables.steals())
      if ((left -= chance(tables, each.key)) < 0)
        return dice.one_of(tables.members(static_cast<std::uint32_t>(each.key)));
    return untried_victim(tables, dice);
  }
};

}  // namespace

std::unique_ptr<Policy> make_acrs() {
  return std::make_unique<Acrs>();
}

}  // namespace trawl::balance
