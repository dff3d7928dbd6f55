// Recipes of steps: what they lead to, what is evaluated by them, and where.
#include <algorithm>
#include <cstddef>
#include <map>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>
#include <gtest/gtest.h>
#include <trawl/dist.hpp>
#include <trawl/trawl.hpp>

#include "rts/heap/lineage.hpp"
#include "tests/unit/dying_grid.hpp"

namespace trawl {
namespace {

using test::added;
using test::grid_with_copies;
using test::same;
using test::squared;

std::map<int, long> calls;  // by PE

long counted(long x, long more) {
  ++calls[sched::pe_here()];
  Simulation::work(100'000);
  return (x + more) % 1'000'003;
}

long all_calls() {
  long sum = 0;
  for (const auto& [pe, number] : calls) sum += number;
  return sum;
}

/// How many nodes the recipe of a shard leads to.
std::size_t chain_of(Simulation& simulation, const Dist<long>& d) {
  auto* recipe = simulation.pe(0).shared_heap().recipes().of(d.parts().shards.front().node());
  if (recipe == nullptr) return 0;
  boost::unordered_flat_set<heap::Node*> seen{recipe};
  std::vector<heap::Node*> next{recipe};
  while (!next.empty()) {
    auto* const node = next.back();
    next.pop_back();
    if (node->state() != heap::State::unevaluated) continue;
    if (const auto needed = heap::needed_by(node, 4096))
      for (auto* below : *needed)
        if (seen.insert(below).second) next.push_back(below);
  }
  return seen.size();
}

// By copies, and where there is nobody who could have one.
TEST(RecoverRecipes, TheirChainEnds) {
  for (const bool alone : {false, true}) {
    Simulation simulation(grid_with_copies(2, 8));
    simulation.run([&] {
      auto d = generate<squared>(12);
      EXPECT_EQ(d.size(), 12U);
      if (alone) simulation.net().kill(1);
      Simulation::work(100'000'000);
      for (int step = 0; step < 100; ++step) d = map<counted>(d, 1L);
      EXPECT_EQ(d.size(), 12U);
      EXPECT_LT(chain_of(simulation, d), 40U) << alone;
    });
    EXPECT_EQ(simulation.finish(3).code, 3);
  }
}

// What was computed of old steps, and is here, need not be again.
TEST(RecoverRecipes, NumbersAreTakenAsTheyAre) {
  Simulation simulation(grid_with_copies(3, 1'000));
  simulation.run([&] {
    const auto d = generate<squared>(12);
    auto sum = reduce<same, added>(d);
    for (int i = 0; i < 50; ++i) {
      force(sum);
      sum = reduce<same, added>(map<counted>(d, sum));
    }
    const auto last = map<counted>(d, force(sum));
    EXPECT_EQ(last.size(), 12U);
    Simulation::work(100'000'000);
    calls.clear();
    simulation.net().kill(1);
    Simulation::work(100'000'000);
    force(reduce<same, added>(last));
    EXPECT_LE(all_calls(), 12);
    EXPECT_GT(all_calls(), 0);
  });
  EXPECT_EQ(simulation.finish(3).code, 3);
}

TEST(RecoverRecipes, AllPesMakeThemAgain) {
  Simulation simulation(grid_with_copies(4, 1'000));
  simulation.run([&] {
    auto d = generate<squared>(64);
    for (int i = 0; i < 20; ++i) d = map<counted>(d, 1L);
    EXPECT_EQ(d.size(), 64U);
    calls.clear();
    simulation.net().kill(1);
    Simulation::work(100'000'000);
    force(reduce<same, added>(d));
    EXPECT_EQ(calls.size(), 3U);
    EXPECT_LT(calls[0], all_calls() / 2 + 1);
  });
  EXPECT_EQ(simulation.finish(3).code, 3);
}

}  // namespace
}  // namespace trawl
