// Cluster-aware multiple random stealing (Satin paper, section 3.5): crs with credits, each for a
// far FISH to a different cluster.
#include <algorithm>

#include "rts/balance/crs.hpp"

namespace trawl::balance {
namespace {

// The paper does not say how many: one for each of the others of its four clusters.
// --trawl:max-fish bounds them together with the near one.
constexpr unsigned credits = 3;

class Cmrs final : public ClusterAware {
 public:
 private:
  int far_victim(const Tables& tables, const Situation& pe, Dice& dice) const override {
    if (count_far(pe, true) >= credits) return -1;
    for (int i = 0; i < draws; ++i) {
      const int victim = dice.one_of(tables.far());
      const auto is_there = [&](const Cast& cast) {
        return cast.cluster == tables.cluster_of(victim);
      };
      if (std::none_of(pe.under_way.begin(), pe.under_way.end(), is_there)) return victim;
    }
    return -1;  // as good as sure: there is no other cluster
  }
};

}  // namespace

std::unique_ptr<Policy> make_cmrs() {
  return std::make_unique<Cmrs>();
}

}  // namespace trawl::balance
