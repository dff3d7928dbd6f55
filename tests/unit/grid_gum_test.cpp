// Grid-GUM's and Grid-GUM2's policies: figures 2 and 3 of the Grid-GUM2 paper.
#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/balance_inputs.hpp"

namespace trawl::balance {
namespace {

TEST(RandomPolicy, EveryoneEquallyOften) {
  Tables tables(2, 11);
  tables.note_load(5, load(1'000, 1, 1));
  const auto chosen = victims("random", tables);
  EXPECT_EQ(chosen.size(), 10u);
  for (const auto& [pe, times] : chosen) EXPECT_NEAR(times, 1'000, 150) << pe;
}

TEST(RandomPolicy, GoesOnUntilTooOldOrOutOfPes) {
  const auto policy = make_policy("random");
  Tables large(0, 40), small(0, 4);
  Fish fish{.thief = 1};
  for (unsigned age = 1; age <= Fish::max_age; ++age) {
    fish.visit(static_cast<int>(age) + 10);
    EXPECT_EQ(policy->forward(large, fish, age) == 1, age == Fish::max_age);
  }
  Fish rounds{.thief = 1};
  rounds.visit(0);
  rounds.visit(2);
  EXPECT_EQ(policy->forward(small, rounds, 5), 3);
  rounds.visit(3);
  EXPECT_EQ(policy->forward(small, rounds, 5), 1);
}

// In whatever order they come, and whatever their numbers are.
TEST(TargetedPolicy, AlwaysTheBusiestOfTheNearest) {
  const auto policy = make_policy("targeted");
  Random random(12);
  for (int trial = 0; trial < 2'000; ++trial) {
    const int self = pick(random, 0, 5);
    Tables tables(self, 6);
    for (int pe = 0; pe < 6; ++pe)
      set_static(tables, pe, {.speed = double(pick(random, 1, 3)), .cluster = random() % 2 == 0});
    for (int pe = 0; pe < 6; ++pe)
      if (pick(random, 0, 3) != 0)
        tables.note_load(pe,
                         load(static_cast<unsigned>(pick(random, 0, 9)), 1, pick(random, 1, 9)));
    Fish fish{.thief = (self + pick(random, 1, 5)) % 6};
    while (fish.age <= 4) fish.visit(self);
    if (pick(random, 0, 1) == 0) fish.visit((self + 1) % 6);

    const auto worth = [&](int pe, int center) {
      const bool near = tables.static_of(pe).cluster == tables.static_of(center).cluster;
      const auto& its = tables.load_of(pe);
      return std::pair(near, (its.sparks + its.runnable) / tables.static_of(pe).speed);
    };
    const auto best = [&](int center, auto excluded) {
      std::pair<bool, double> most{false, -1};
      for (int pe = 0; pe < 6; ++pe)
        if (pe != self && tables.load_of(pe).sparks != 0 && !excluded(pe))
          most = std::max(most, worth(pe, center));
      return most;
    };
    const auto busiest = best(self, [](int) { return false; });
    if (busiest.second > 0) {
      EXPECT_EQ(worth(policy->next(tables, {}, random()).victim, self), busiest);
    }
    const auto next_best =
        best(fish.thief, [&](int pe) { return pe == fish.thief || fish.has_visited(pe); });
    const int next = policy->forward(tables, fish, random());
    if (next_best.second > 0)
      EXPECT_EQ(worth(next, fish.thief), next_best);
    else
      EXPECT_EQ(next, fish.thief);
  }
}

TEST(TargetedPolicy, EqualsShareTheFish) {
  for (const int self : {0, 2}) {
    Tables tables(self, 5);
    const std::vector<int> equals = self == 0 ? std::vector{1, 3, 4} : std::vector{0, 1, 3};
    for (const int pe : equals) tables.note_load(pe, load(5, 1, 1));
    const auto chosen = victims("targeted", tables);
    EXPECT_EQ(chosen.size(), 3u);
    for (const auto& [pe, times] : chosen) EXPECT_NEAR(times, 3'333, 300) << pe;
  }
}

TEST(TargetedPolicy, NearFirstByCluster) {
  Tables tables(0, 4);
  set_static(tables, 2, {.cluster = 1});
  set_static(tables, 3, {.cluster = 1});
  tables.note_load(1, load(1, 0, 1));
  tables.note_load(2, load(100, 9, 1));
  EXPECT_EQ(victims("targeted", tables), (std::map<int, int>{{1, 10'000}}));
  tables.note_load(1, load(0, 9, 2));
  EXPECT_EQ(victims("targeted", tables), (std::map<int, int>{{2, 10'000}}));
}

/// What Grid-GUM2 says of nearness, and the default has from it.
class ByTables : public ::testing::TestWithParam<const char*> {};

TEST_P(ByTables, BusiestForItsSpeed) {
  Tables tables(0, 5);
  set_static(tables, 1, {.speed = 4});
  set_static(tables, 2, {.speed = 1});
  tables.note_load(1, load(10, 2, 1));  // 3 for its speed
  tables.note_load(2, load(4, 1, 1));   // 5
  tables.note_load(3, load(0, 90, 1));  // nothing to give
  EXPECT_EQ(victims(GetParam(), tables), (std::map<int, int>{{2, 10'000}}));
  tables.note_load(2, load(0, 0, 2));
  EXPECT_EQ(victims(GetParam(), tables), (std::map<int, int>{{1, 10'000}}));
}

TEST_P(ByTables, NearFirstByLatencyWithoutClusters) {
  Tables tables(0, 4);
  tables.note_latency(1, {300'000, 1});
  tables.note_latency(2, {20'000'000, 1});
  tables.note_latency(3, {400'000, 1});
  tables.note_load(1, load(1, 0, 1));
  tables.note_load(2, load(100, 9, 1));
  tables.note_load(3, load(2, 0, 1));
  EXPECT_EQ(victims(GetParam(), tables), (std::map<int, int>{{3, 10'000}}));
}

// Near is whoever is four times as far as the nearest, and all within 200 us.
TEST_P(ByTables, HowNearIsNear) {
  for (const Nanos nearest : {1'000, 50'000, 60'000, 300'000}) {
    const auto limit = std::max<Nanos>(4 * nearest, 200'000);
    for (const Nanos distance : {limit, limit + 1}) {
      Tables tables(0, 4);
      tables.note_latency(1, {nearest, 1});
      tables.note_latency(2, {distance, 1});
      tables.note_latency(3, {1'000'000'000, 1});
      tables.note_load(1, load(1, 0, 1));
      tables.note_load(2, load(5, 0, 1));
      EXPECT_EQ(victims(GetParam(), tables),
                (std::map<int, int>{{distance == limit ? 2 : 1, 10'000}}));
    }
  }
  Tables tables(0, 4);  // of PE 2 nothing is known: near
  tables.note_latency(1, {1'000, 1});
  tables.note_load(1, load(1, 0, 1));
  tables.note_load(2, load(5, 0, 1));
  EXPECT_EQ(victims(GetParam(), tables), (std::map<int, int>{{2, 10'000}}));
}

INSTANTIATE_TEST_SUITE_P(Balance, ByTables, ::testing::Values("targeted", "trawl"));

// Figure 3 a: "send fish to busiest PE from tables"; where nobody has any, all are as busy.
TEST(TargetedPolicy, WhereNobodyIsKnownToHaveSparksItDoesNotGuess) {
  Tables tables(0, 5);
  set_static(tables, 4, {.cluster = 1});
  tables.note_load(1, load(0, 3, 1));
  tables.note_load(2, load(0, 0, 1));
  for (const auto& [pe, times] : victims("targeted", tables)) EXPECT_NEAR(times, 2'500, 200) << pe;
}

TEST(TargetedPolicy, SpeedIsThatOfAllWorkers) {
  Tables tables(0, 3);
  set_static(tables, 1, {.speed = 1, .cores = 8});
  set_static(tables, 2, {.speed = 2, .cores = 1});
  tables.note_load(1, load(15, 1, 1));  // 2 for its strength
  tables.note_load(2, load(5, 1, 1));   // 3
  EXPECT_EQ(victims("targeted", tables), (std::map<int, int>{{2, 10'000}}));
}

TEST(TargetedPolicy, ForwardsToTheBusiestNearTheThief) {
  const auto policy = make_policy("targeted");
  Tables tables(0, 8);  // this PE and the first four are in cluster 0, the others with the thief
  for (int pe = 4; pe < 8; ++pe) set_static(tables, pe, {.cluster = 1});
  tables.note_load(1, load(50, 1, 1));
  tables.note_load(5, load(2, 1, 1));
  tables.note_load(6, load(3, 1, 1));
  tables.note_load(4, load(99, 9, 1));  // the thief itself
  Fish fish{.thief = 4};
  fish.visit(0);
  for (const int expected : {6, 5, 1}) {
    const int next = policy->forward(tables, fish, 3);
    EXPECT_EQ(next, expected);
    fish.visit(next);
  }
  EXPECT_EQ(policy->forward(tables, fish, 3), 4);
}

// Figure 3 b: forwarded if another PE has a spark.
TEST(TargetedPolicy, HopelessFishGoHome) {
  const auto policy = make_policy("targeted");
  Tables tables(1, 50);
  Fish fish{.thief = 0};
  fish.visit(1);
  EXPECT_EQ(policy->forward(tables, fish, 7), 0);
}

// Section 3: nobody has sparks where the thief is; they come from where it is not far to it.
TEST(TargetedPolicy, ForwardsToTheClusterNearestTheThief) {
  const auto policy = make_policy("targeted");
  Tables tables(0, 6);  // two PEs in each of three clusters
  for (int pe = 0; pe < 6; ++pe)
    set_static(tables, pe, {.cluster = static_cast<std::uint32_t>(pe) / 2});
  tables.note_load(2, load(1, 1, 5));
  tables.note_load(1, load(9, 1, 5));
  Fish fish{.thief = 4};
  fish.visit(0);
  EXPECT_EQ(policy->forward(tables, fish, 7), 1) << "nothing is known of who is near";
  tables.note_latency(4, {100'000'000, 10});
  Tables nearer(2, 6);
  for (int pe = 0; pe < 6; ++pe)
    set_static(nearer, pe, {.cluster = static_cast<std::uint32_t>(pe) / 2});
  nearer.note_latency(4, {1'000'000, 10});
  Writer message;
  nearer.write_piggyback(message, 20, load(1, 1, 20), 0);
  Reader in(message.view());
  tables.read_piggyback(in, 2, 20);
  EXPECT_EQ(policy->forward(tables, fish, 7), 2);
}

// Section 3: several sparks for a strong far cluster, one for a weak one.
TEST(TargetedPolicy, SuperSchedule) {
  const auto policy = make_policy("targeted");
  Tables tables(0, 8);  // four slow PEs, and four fast ones elsewhere
  for (int pe = 0; pe < 8; ++pe)
    set_static(tables, pe, {.speed = pe < 4 ? 534.0 : 1395.0, .cluster = pe > 3});
  const Fish near{.thief = 1}, far{.thief = 5};
  EXPECT_EQ(policy->portion(tables, near, {100}), 1U);
  EXPECT_EQ(policy->portion(tables, far, {100}), 3U) << "2.6 times as strong";
  EXPECT_EQ(policy->portion(tables, far, {3}), 2U) << "72 % of what there is";
  EXPECT_EQ(policy->portion(tables, far, {1}), 1U);
  tables.note_latency(5, {1'000'000, 1});
  EXPECT_EQ(policy->portion(tables, far, {100}), 5U);
  for (const Nanos second : {1, 2})
    tables.note_latency(5, {100'000'000, second * 1'000'000'000 + 1});
  EXPECT_EQ(policy->portion(tables, far, {100}), 20U);
  EXPECT_EQ(policy->portion(tables, far, {10}), 7U);
  Tables fast(5, 8);
  for (int pe = 0; pe < 8; ++pe)
    set_static(fast, pe, {.speed = pe < 4 ? 534.0 : 1395.0, .cluster = pe > 3});
  EXPECT_EQ(policy->portion(fast, Fish{.thief = 1}, {100}), 1U);
}

TEST(TargetedPolicy, WatermarksFollowSpeed) {
  const auto targeted = make_policy("targeted");
  Tables tables(0, 4);
  EXPECT_EQ(targeted->low_watermark(tables, 3), 3u);
  set_static(tables, 0, {.speed = 5});  // the mean is 2
  EXPECT_EQ(targeted->low_watermark(tables, 0), 0u);
  EXPECT_EQ(targeted->low_watermark(tables, 1), 3u);
  EXPECT_EQ(targeted->low_watermark(tables, 4), 10u);
  EXPECT_EQ(make_policy("random")->low_watermark(tables, 4), 4u);
  Tables slow(1, 4);
  set_static(slow, 0, {.speed = 1'000});
  EXPECT_EQ(targeted->low_watermark(slow, 2), 1u);
  Tables fast(0, 4);
  set_static(fast, 0, {.speed = 1'000});
  const auto most = std::numeric_limits<unsigned>::max();
  EXPECT_EQ(targeted->low_watermark(fast, most), most);
}

TEST(GridGum, NeitherHoldsNorAnnouncesNorLooksAhead) {
  for (const auto name : {"random", "targeted", "rs", "crs", "cmrs", "acrs"}) {
    const auto means = make_policy(name)->means();
    EXPECT_FALSE(means.holds_fish || means.announces || means.looks_ahead) << name;
  }
}

// GUM's thief waits at home.
TEST(GridGum, AfterAFishInVainItWaits) {
  for (const auto name : {"random", "targeted"}) {
    const auto decision = make_policy(name)->next(Tables(0, 3), {.now = 10, .near_after = 30}, 1);
    EXPECT_EQ(decision.victim, -1);
    EXPECT_EQ(decision.again, 30);
  }
}

}  // namespace
}  // namespace trawl::balance
