// Random stealing (Satin paper, section 2.1): a random PE anywhere, synchronously: one FISH, its
// answer comes straight home, and then the next goes.
#include "rts/balance/choices.hpp"

namespace trawl::balance {
namespace {

class Rs final : public Policy {
 public:
  Means means() const override { return {.at_once = true}; }

  Decision next(const Tables& tables, const Situation& pe, std::uint64_t random) const override {
    const auto others = tables.others();
    if (!pe.hungry || !pe.under_way.empty() || others.empty()) return {};
    if (pe.now < pe.near_after) return {.again = pe.near_after};
    return {.victim = Dice(random).one_of(others)};
  }

  int forward(const Tables& tables, const Fish& fish, std::uint64_t) const override {
    return tables.lost(fish.thief) ? -1 : fish.thief;
  }
};

}  // namespace

std::unique_ptr<Policy> make_rs() {
  return std::make_unique<Rs>();
}

}  // namespace trawl::balance
