// Grid-GUM (Grid-GUM2 paper, section 2, figure 2): work is looked for anywhere, whoever is fast or
// near. A fish that has been to ten PEs in vain, or to all, goes home, and its thief waits.
#include "rts/balance/choices.hpp"

namespace trawl::balance {
namespace {

class Random final : public Policy {
 public:
  Decision next(const Tables& tables, const Situation& pe, std::uint64_t random) const override {
    const auto others = tables.others();
    if (!pe.hungry || pe.under_way.size() >= pe.most_near || others.empty()) return {};
    if (pe.now < pe.near_after) return {.again = pe.near_after};
    return {.victim = Dice(random).one_of(others)};
  }

  int forward(const Tables& tables, const Fish& fish, std::uint64_t random) const override {
    if (tables.lost(fish.thief)) return -1;
    if (fish.age >= Fish::max_age) return fish.thief;
    Dice dice(random);
    const int next = random_unvisited(tables, tables.others(), fish, dice);
    return next < 0 ? fish.thief : next;
  }
};

}  // namespace

std::unique_ptr<Policy> make_random() {
  return std::make_unique<Random>();
}

}  // namespace trawl::balance
