// What a dead PE had of weights is found: by its sums, and in whole runs.
#include <vector>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "rts/recover/tallies.hpp"
#include "tests/unit/dying_grid.hpp"
#include "tests/unit/garbage.hpp"

namespace trawl {
namespace {

using recover::Round;
using recover::Sent;
using recover::Tallies;

TEST(Tallies, AreDueWhenAllHaveTold) {
  Tallies tallies(4);
  tallies.begin(1, {0, 1, 3});
  EXPECT_FALSE(tallies.is_member(2));
  EXPECT_FALSE(tallies.add(0, {1, Round::before, {{1, 5}, {3, 2}}}));
  EXPECT_FALSE(tallies.add(0, {1, Round::before, {{1, 9}}})) << "told twice";
  EXPECT_FALSE(tallies.add(2, {1, Round::before, {{1, 9}}})) << "not a member";
  EXPECT_FALSE(tallies.add(1, {0, Round::before, {{1, 9}}})) << "an older census";
  EXPECT_FALSE(tallies.add(1, {1, Round::before, {}}));
  EXPECT_FALSE(tallies.add(0, {1, Round::held, {{3, 1}}})) << "it is faster than PE 3";
  EXPECT_TRUE(tallies.add(3, {1, Round::before, {{1, 1}}}));
  EXPECT_EQ(tallies.due(Round::before, 0), 0U);
  EXPECT_EQ(tallies.due(Round::before, 1), 6U);
  EXPECT_EQ(tallies.due(Round::before, 3), 2U);
  EXPECT_EQ(tallies.due(Round::held, 3), 1U);
}

TEST(Tallies, BeginAnew) {
  Tallies tallies(3);
  EXPECT_FALSE(tallies.add(0, {0, Round::before, {{1, 5}}})) << "there is no census";
  tallies.begin(1, {0, 1, 2});
  tallies.add(0, {1, Round::before, {{1, 5}}});
  tallies.begin(2, {0, 1});
  EXPECT_FALSE(tallies.add(0, {2, Round::before, {{1, 3}}}));
  EXPECT_TRUE(tallies.add(1, {2, Round::before, {}}));
  EXPECT_EQ(tallies.due(Round::before, 1), 3U);
}

// ---- whole runs

using Numbers = std::vector<long>;

struct Kept {
  Lazy<Numbers> what;
};

/// So many that they have a name on both sides.
Numbers numbers() {
  return Numbers(100, 7);
}

/// Where it is evaluated, its argument stays known.
Kept keep(const Lazy<Numbers>& what) {
  Simulation::work(100'000);
  return {what};
}

[[gnu::noinline]] void have_others_keep(int times) {
  const auto shared = lazy<numbers>();
  force(shared);
  std::vector<Lazy<Kept>> all;
  for (int i = 0; i < times; ++i) all.push_back(par(lazy<keep>(shared)));
  for (const auto& each : all) EXPECT_EQ(force(force(each).what), numbers());
}

class Census : public testing::TestWithParam<int> {};

TEST_P(Census, NothingIsLeftOfWhatADeadPeReferredTo) {
  const int pes = GetParam();
  auto config = test::dying_grid_of(pes);
  config.net.jitter = 30'000;
  config.net.reorder = true;
  Simulation simulation(config);
  const auto count = [&](Count what) {
    return simulation.pe(0).statistics()[static_cast<std::size_t>(what)];
  };
  simulation.run([&] {
    have_others_keep(10 * pes);
    EXPECT_GT(count(Count::slots), 0U);
    simulation.net().kill(1);
  });
  simulation.settle();
  EXPECT_GT(count(Count::slots_corrected), 0U);
  EXPECT_EQ(count(Count::slots_leaked), 0U);
  test::expect_weights_conserved(simulation);
#ifndef TRAWL_NO_COLLECTOR
  if (pes > 2) return;  // others may keep it, by a word that was left on a stack
  test::live_bytes();
  simulation.sweep();
  simulation.settle();
  EXPECT_EQ(count(Count::slots), 0U);
#endif
}

// Those of the second are found by the census that the first one's has become.
class CensusOfTwo : public Census {};

TEST_P(CensusOfTwo, OneDiesInTheMidstOfTheOthers) {
  const int pes = GetParam();
  for (Nanos after = 0; after < 2'000'000; after += 20'000) {
    SCOPED_TRACE(after);
    Simulation simulation(test::dying_grid_of(pes));
    simulation.run([&] {
      have_others_keep(10 * pes);
      simulation.net().kill(1);
      Simulation::work(after);
      simulation.net().kill(2);
      have_others_keep(10);
    });
    simulation.settle();
    test::expect_weights_conserved(simulation);
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Pes, Census, testing::Values(2, 3, 4, 8));
INSTANTIATE_TEST_SUITE_P(Pes, CensusOfTwo, testing::Values(3, 4, 8));

}  // namespace
}  // namespace trawl
