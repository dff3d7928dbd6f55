// Adaptive cluster-aware random stealing (Satin paper, section 3.6): crs, but a far cluster is
// chosen with a probability that is inverse to the time that the last steal there took.
#include "rts/balance/crs.hpp"

namespace trawl::balance {
namespace {

class Acrs final : public ClusterAware {
 public:
  std::string_view name() const override { return "acrs"; }

 private:
  // One where nothing was stolen yet is taken to be as fast as the fastest: so it is soon known. A
  // far FISH costs a look at each cluster.
  static double chance(const Tables& tables, std::uint32_t cluster) {
    if (cluster == tables.own_cluster() || tables.members(cluster).empty()) return 0;
    const auto took = tables.last_steal(cluster).took;
    return 1.0 / static_cast<double>(std::max<Nanos>(took < 0 ? tables.best_steal() : took, 1));
  }

  int far_victim(const Tables& tables, const Situation& pe, Dice& dice) const override {
    if (count_far(pe, true) != 0) return -1;
    double sum = 0;
    for (std::uint32_t each = 0; each < tables.clusters(); ++each) sum += chance(tables, each);
    double left = dice.share() * sum;
    std::uint32_t chosen = 0;
    for (std::uint32_t each = 0; each < tables.clusters(); ++each) {
      const double share = chance(tables, each);
      if (share <= 0) continue;
      chosen = each;
      if (left < share) break;
      left -= share;
    }
    return dice.one_of(tables.members(chosen));
  }
};

}  // namespace

std::unique_ptr<Policy> make_acrs() {
  return std::make_unique<Acrs>();
}

}  // namespace trawl::balance
