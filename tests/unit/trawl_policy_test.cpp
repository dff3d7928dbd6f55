// The default policy inside a cluster.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/balance_inputs.hpp"

namespace trawl::balance {
namespace {

Load slowed(std::uint16_t pace) {
  auto its = load(0, 1, 1);
  its.pace = pace;
  return its;
}

// Four fast and four slow PEs: the last ones of a list are for the fast.
TEST(TrawlPolicy, ASlowThiefGetsNoneOfTheLastAlike) {
  const auto policy = make_policy("trawl");
  Tables tables(0, 8);
  for (int pe = 0; pe < 8; ++pe) set_static(tables, pe, {.speed = pe < 4 ? 1395.0 : 534.0});
  const auto portion = [&](int thief, std::uint32_t spare, std::uint32_t quiet) {
    return policy->portion(tables, {.thief = thief}, {spare, quiet});
  };
  EXPECT_EQ(portion(5, 8, 9), 0U);
  EXPECT_EQ(portion(5, 9, 9), 1U) << "done with it when the others are with the rest";
  EXPECT_EQ(portion(5, 8, 0), 1U) << "threads make sparks: they may be of any size";
  EXPECT_EQ(portion(5, 8, 1), 1U);
  EXPECT_EQ(portion(3, 1, 9), 1U);
  Tables slow(5, 8);
  for (int pe = 0; pe < 8; ++pe) set_static(slow, pe, {.speed = pe < 4 ? 1395.0 : 534.0});
  EXPECT_EQ(policy->portion(slow, {.thief = 6}, {1, 9}), 1U);
  EXPECT_EQ(policy->portion(slow, {.thief = 1}, {1, 9}), 1U);
}

// Of tasks that sleep, say, no PE gets much of the processor.
TEST(TrawlPolicy, WhereAllAreSlowedNobodyIsSlow) {
  const auto policy = make_policy("trawl");
  Tables tables(0, 5);
  for (int pe = 1; pe < 5; ++pe) tables.note_load(pe, slowed(9));
  tables.set_own_pace(10);
  EXPECT_NEAR(tables.mean_strength_now(), 0.0092, 1e-9);
  EXPECT_EQ(policy->portion(tables, {.thief = 1}, {100, 9}), 4U);
  EXPECT_EQ(policy->low_watermark(tables, 4), 5U);
}

TEST(TrawlNear, EqualsShareTheFish) {
  for (const int self : {0, 2}) {
    Tables tables(self, 5);
    const std::vector<int> equals = self == 0 ? std::vector{1, 3, 4} : std::vector{0, 1, 3};
    for (const int pe : equals) tables.note_load(pe, load(5, 1, 1));
    const auto chosen = victims("trawl", tables);
    EXPECT_EQ(chosen.size(), 3u);
    for (const auto& [pe, times] : chosen) EXPECT_NEAR(times, 3'333, 300) << pe;
  }
}

TEST(TrawlNear, GuessesAreWeighed) {
  for (const bool far : {false, true}) {  // by latency all are near, or none is
    Tables tables(0, 6);
    if (far) tables.note_latency(5, {1, 1});
    tables.forget(5);
    for (int pe = 1; far && pe < 5; ++pe) tables.note_latency(pe, {1'000'000'000, 1});
    tables.note_load(1, load(0, 3, 1));
    tables.note_load(2, load(0, 0, 1));
    tables.forget(4);
    const auto chosen = victims("trawl", tables);
    ASSERT_EQ(chosen.size(), 3u);
    EXPECT_NEAR(chosen.at(1), 40'000 / 7, 200) << "its threads may spark";
    EXPECT_NEAR(chosen.at(2), 10'000 / 7, 200) << "it is idle";
    EXPECT_NEAR(chosen.at(3), 20'000 / 7, 200) << "nobody has heard of it";
  }
}

TEST(TrawlNear, MainPeIsAGoodGuessUntilHeardOf) {
  Tables tables(9, 100);
  EXPECT_NEAR(victims("trawl", tables)[0], 5'050, 300);
  tables.note_load(0, load(0, 0, 1));
  EXPECT_LT(victims("trawl", tables)[0], 150);
}

TEST(TrawlNear, AnOldRowCountsLess) {
  constexpr Nanos milli = 1'000'000;
  Tables tables(0, 3);
  tables.note_load(1, load(10, 1, 0));
  tables.note_load(2, load(6, 1, 95 * milli));
  Writer out;
  tables.write_piggyback(out, 10 * milli, {}, 1);
  EXPECT_EQ(victims("trawl", tables).begin()->first, 1);
  tables.write_piggyback(out, 100 * milli, {}, 1);
  EXPECT_EQ(victims("trawl", tables).begin()->first, 2);
}

TEST(TrawlNear, HopelessFishEndSoon) {
  const auto policy = make_policy("trawl");
  Random random(3);
  for (int trial = 0; trial < 1'000; ++trial) {
    Fish fish{.thief = 0};
    int unguided = -1;  // the first step is the thief's own
    for (int at = 1; at != 0; ++unguided) {
      Tables tables(at, 50);
      fish.visit(at);
      at = policy->forward(tables, fish, random());
    }
    EXPECT_EQ(unguided, 3);
  }
}

TEST(TrawlNear, PortionsGrowWithWhatThereIsButNotForFew) {
  const auto policy = make_policy("trawl");
  const Tables tables(0, 2);
  const auto portion = [&](unsigned spare) {
    return policy->portion(tables, {.thief = 1}, {spare});
  };
  EXPECT_EQ(portion(1), 1u);
  EXPECT_EQ(portion(31), 1u);
  EXPECT_EQ(portion(32), 2u);
  EXPECT_EQ(portion(100), 4u);
  EXPECT_EQ(portion(1'000'000), 8u);
}

TEST(TrawlNear, AThiefOfManyIdleWorkersGetsOneForEachButHalfAtMost) {
  const auto policy = make_policy("trawl");
  const Tables tables(0, 2);
  const auto portion = [&](std::uint8_t wants, unsigned spare) {
    return policy->portion(tables, {.thief = 1, .wants = wants}, {spare});
  };
  EXPECT_EQ(portion(16, 1), 1u);
  EXPECT_EQ(portion(16, 9), 4u);
  EXPECT_EQ(portion(16, 1000), 16u);
  EXPECT_EQ(portion(2, 1000), 8u);
}

// They would lie there while others have none.
TEST(TrawlNear, OfManyAThiefGetsItsShareAtMost) {
  const auto policy = make_policy("trawl");
  Tables tables(0, 60);
  const auto portion = [&](unsigned spare) {
    return policy->portion(tables, {.thief = 1}, {spare});
  };
  EXPECT_EQ(portion(59), 1u);
  EXPECT_EQ(portion(120), 2u);
  EXPECT_EQ(portion(180), 3u);
  EXPECT_EQ(portion(1'000'000), 8u);
  Tables half(0, 60);
  for (int pe = 30; pe < 60; ++pe) half.forget(pe);
  EXPECT_EQ(policy->portion(half, {.thief = 1}, {60}), 2u) << "of the living";
  auto strong = tables.static_of(1);
  strong.speed *= 3;
  set_static(tables, 1, strong);
  EXPECT_EQ(portion(120), 4u) << "for its strength, but no more than before";
}

}  // namespace
}  // namespace trawl::balance
