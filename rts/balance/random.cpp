// Grid-GUM (Grid-GUM2 paper, section 2): work is looked for anywhere, whoever is fast or near.
#include "rts/balance/policy.hpp"

namespace trawl::balance {
namespace {

class Random final : public Policy {
 public:
  std::string_view name() const override { return "random"; }

  int victim(const Tables& tables, std::uint64_t random) const override {
    const auto others = tables.others();
    return others.empty() ? -1 : others[Dice(random).below(others.size())];
  }

  int forward(const Tables& tables, const Fish& fish, std::uint64_t random) const override {
    if (tables.lost(fish.thief)) return -1;
    if (fish.age >= Fish::max_age) return fish.thief;
    Dice dice(random);
    const int next = random_unvisited(tables, fish, dice);
    return next < 0 ? fish.thief : next;
  }
};

}  // namespace

std::unique_ptr<Policy> make_random() {
  return std::make_unique<Random>();
}

}  // namespace trawl::balance
