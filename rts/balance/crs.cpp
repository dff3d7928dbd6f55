// Cluster-aware random stealing (Satin paper, section 2.2): at most one far FISH, to any PE outside
// of the cluster, all with the same probability (section 3.3).
#include "rts/balance/crs.hpp"

namespace trawl::balance {

Decision ClusterAware::next(const Tables& tables, const Situation& pe, std::uint64_t random) const {
  if (!pe.hungry) return {};
  Dice dice(random);
  Decision decision;
  if (!tables.far().empty()) {
    if (pe.now < pe.far_after)
      decision.again = pe.far_after;
    else
      decision.victim = far_victim(tables, pe, dice);
    if (decision.victim >= 0) return decision;
  }
  if (count_far(pe, false) != 0) return decision;
  if (pe.now < pe.near_after)
    decision.again = std::min(decision.again, pe.near_after);
  else
    decision.victim = random_near(tables, dice);
  return decision;
}

int ClusterAware::forward(const Tables& tables, const Fish& fish, std::uint64_t) const {
  return tables.lost(fish.thief) ? -1 : fish.thief;
}

namespace {

class Crs final : public ClusterAware {
 public:
 private:
  int far_victim(const Tables& tables, const Situation& pe, Dice& dice) const override {
    return count_far(pe, true) != 0 ? -1 : dice.one_of(tables.far());
  }
};

}  // namespace

std::unique_ptr<Policy> make_crs() {
  return std::make_unique<Crs>();
}

}  // namespace trawl::balance
