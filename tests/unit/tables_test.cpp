// The tables of loads and latencies, clusters and facts: newer wins, and the lost stay lost.
#include "rts/balance/tables.hpp"

#include <limits>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "rts/balance/policy.hpp"
#include "tests/unit/balance_inputs.hpp"
#include "tests/unit/piggybacks.hpp"

namespace trawl::balance {
namespace {

TEST(Tables, NewerWinsInAnyOrder) {
  Random random(1);
  Tables tables(0, 20);
  std::map<int, Load> newest;
  for (int i = 0; i < 20'000; ++i) {
    const int pe = pick(random, 0, 19);
    const auto seen = load(static_cast<unsigned>(pick(random, 0, 9)), 1, pick(random, 0, 100'000));
    const auto before = tables.load_of(pe).measured;
    const bool newer = pe != 0 && (!newest.contains(pe) || newest[pe].measured < seen.measured);
    EXPECT_EQ(tables.note_load(pe, seen), newer);
    if (newer) newest[pe] = seen;
    EXPECT_GE(tables.load_of(pe).measured, before);
  }
  EXPECT_FALSE(tables.known(0));
  for (const auto& [pe, expected] : newest) {
    EXPECT_EQ(tables.load_of(pe).measured, expected.measured);
    EXPECT_EQ(tables.load_of(pe).sparks, expected.sparks);
  }
}

TEST(Tables, LatenciesNewerWins) {
  Tables tables(1, 4);
  EXPECT_LT(tables.latency_to(2).measured, 0);
  EXPECT_TRUE(tables.note_latency(2, {500, 10}));
  EXPECT_FALSE(tables.note_latency(2, {400, 9}));
  EXPECT_FALSE(tables.note_latency(1, {700, 11}));
  EXPECT_EQ(tables.latency_to(2).one_way, 500);
  EXPECT_TRUE(tables.note_latency(2, {-3, 12}));
  EXPECT_EQ(tables.latency_to(2).one_way, 0);
}

// What waited on its way says nothing of it; after two seconds at most a change is believed.
TEST(Tables, LatenciesAreTheLeastOfAWindow) {
  constexpr Nanos second = 1'000'000'000;
  Tables tables(0, 2);
  tables.note_latency(1, {500, 1});
  tables.note_latency(1, {900, 2});
  EXPECT_EQ(tables.latency_to(1).one_way, 500);
  tables.note_latency(1, {900, second + 1});
  EXPECT_EQ(tables.latency_to(1).one_way, 500);
  tables.note_latency(1, {800, second + 2});
  tables.note_latency(1, {950, 2 * second + 1});
  EXPECT_EQ(tables.latency_to(1).one_way, 800);
  tables.note_latency(1, {300, 2 * second + 2});
  EXPECT_EQ(tables.latency_to(1).one_way, 300);
}

/// Three clusters of two PEs.
Tables of_three_clusters(int self) {
  Tables tables(self, 6);
  for (int pe = 0; pe < 6; ++pe)
    set_static(tables, pe, {.cluster = static_cast<std::uint32_t>(pe) / 2});
  return tables;
}

// Newer wins, whoever it is from; both directions are one row.
TEST(Tables, LatenciesBetweenClustersSpread) {
  auto teller = of_three_clusters(2);
  auto listener = of_three_clusters(0);
  EXPECT_LT(listener.latency_between(1, 2).measured, 0);
  const auto tell = [&](Nanos now) {
    Writer message;
    teller.write_piggyback(message, now, {}, 0);
    EXPECT_LE(message.size(), Tables::max_piggyback_bytes);
    Reader in(message.view());
    listener.read_piggyback(in, 2, now);
    in.end();
  };
  teller.note_latency(4, {7'000, 10});
  teller.note_latency(3, {50, 10});  // its neighbour
  tell(20);
  EXPECT_EQ(listener.latency_between(1, 2).one_way, 7'000);
  EXPECT_EQ(listener.latency_between(2, 1).one_way, 7'000);
  EXPECT_LT(listener.latency_between(0, 1).measured, 0);
  listener.note_latency(2, {3'000, 15});
  EXPECT_EQ(listener.latency_between(0, 1).one_way, 3'000);
  teller.note_latency(0, {9'000, 12});
  for (int i = 0; i < 4; ++i) tell(30 + i);
  EXPECT_EQ(listener.latency_between(0, 1).one_way, 3'000) << "older";
  teller.note_latency(5, {6'000, 40});
  for (int i = 0; i < 4; ++i) tell(50 + i);
  EXPECT_EQ(listener.latency_between(1, 2).one_way, 6'000);
}

TEST(Tables, LatenciesOfNobodyAreRefused) {
  struct Row {
    std::uint32_t one, other;
    Nanos one_way, measured;
  };
  const auto take = [](const Row& row) {
    auto tables = of_three_clusters(0);
    Writer message;
    message.put(Load{});
    message.put(std::uint8_t{0x80});
    message.put(row);
    Reader in(message.view());
    tables.read_piggyback(in, 2, 10);
    return tables.latency_between(1, 2).measured;
  };
  EXPECT_EQ(take({1, 2, 5, 7}), 7);
  EXPECT_EQ(take({1, 2, 5, 3'000'000'000}), 10) << "from the future";
  for (const Row& row : {Row{2, 1, 5, 7}, {1, 1, 5, 7}, {1, 3, 5, 7}, {1, 2, -5, 7}, {1, 2, 5, -7}})
    EXPECT_THROW(take(row), BadBytes);
}

TEST(Tables, APaceTravels) {
  Tables slowed(1, 3);
  Tables other(0, 3);
  set_static(other, 1, {.speed = 8});
  set_static(slowed, 1, {.speed = 8});
  slowed.set_own_pace(250);
  EXPECT_DOUBLE_EQ(slowed.strength_now(1), 2);
  EXPECT_DOUBLE_EQ(other.strength_now(1), 8);
  Writer message;
  slowed.write_piggyback(message, 5, {.sparks = 1}, 0);
  Reader in(message.view());
  other.read_piggyback(in, 1, 5);
  EXPECT_DOUBLE_EQ(other.strength_now(1), 2);
  EXPECT_DOUBLE_EQ(other.static_of(1).speed, 8);
}

TEST(Tables, TheMeanStrengthFollowsPacesAndDeaths) {
  Tables tables(0, 4);
  for (int pe = 0; pe < 4; ++pe) set_static(tables, pe, {.speed = 1.0 + pe});
  EXPECT_DOUBLE_EQ(tables.mean_strength_now(), 2.5);
  tables.set_own_pace(500);
  EXPECT_DOUBLE_EQ(tables.mean_strength_now(), 9.5 / 4);
  for (const auto& [pace, mean] : {std::pair{500, 7.5 / 4}, {250, 6.5 / 4}, {1000, 9.5 / 4}}) {
    auto its = load(1, 1, pace);
    its.measured = tables.load_of(3).measured + 1;
    its.pace = static_cast<std::uint16_t>(pace);
    tables.note_load(3, its);
    EXPECT_DOUBLE_EQ(tables.mean_strength_now(), mean);
  }
  tables.forget(3);
  EXPECT_DOUBLE_EQ(tables.mean_strength_now(), 5.5 / 3);
}

TEST(Tables, WhatTheRosterHasRoundedTravelsWithThePace) {
  Tables strong(1, 3);
  Tables other(0, 3);
  strong.set_own_strength(5);
  strong.set_own_pace(500);
  EXPECT_DOUBLE_EQ(strong.strength_now(1), 2.5);
  for (const auto& [pace, seen] : {std::pair{500, 2.5}, {1000, 5.0}}) {
    strong.set_own_pace(static_cast<std::uint16_t>(pace));
    Writer message;
    strong.write_piggyback(message, pace, {.sparks = 1}, 0);
    Reader in(message.view());
    other.read_piggyback(in, 1, pace);
    EXPECT_DOUBLE_EQ(other.strength_now(1), seen);
  }
}

TEST(Tables, ImpossibleFactsAreRefused) {
  Tables tables(0, 2);
  for (const double speed : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(set_static(tables, 1, {.speed = speed}), Error);
  }
  EXPECT_THROW(set_static(tables, 1, {.cores = 0}), Error);
  EXPECT_EQ(tables.static_of(1).speed, 1);
}

TEST(Tables, ClustersAndMeanSpeedFollowChanges) {
  Tables tables(1, 3);
  EXPECT_FALSE(tables.has_clusters());
  for (int pe = 0; pe < 3; ++pe) set_static(tables, pe, {.speed = 1.0 + pe, .cluster = 4});
  EXPECT_FALSE(tables.has_clusters());
  EXPECT_DOUBLE_EQ(tables.mean_strength(), 2);
  set_static(tables, 2, {.speed = 6, .cluster = 5});
  EXPECT_TRUE(tables.has_clusters());
  EXPECT_DOUBLE_EQ(tables.mean_strength(), 3);
  tables.forget(2);
  EXPECT_DOUBLE_EQ(tables.mean_strength(), 1.5);
  set_static(tables, 2, {.speed = 100, .cluster = 4});
  EXPECT_FALSE(tables.has_clusters());
  EXPECT_DOUBLE_EQ(tables.mean_strength(), 1.5);
}

// Against what is counted anew after each change.
TEST(Tables, ClustersKnowTheirMembers) {
  Random random(3);
  for (int trial = 0; trial < 300; ++trial) {
    const int pes = pick(random, 2, 12);
    Tables tables(pick(random, 0, pes - 1), pes);
    for (int change = 0; change < 20; ++change) {
      const int pe = pick(random, 0, pes - 1);
      if (pick(random, 0, 5) == 0)
        tables.forget(pe);
      else
        set_static(tables, pe,
                   {.speed = double(pick(random, 1, 9)),
                    .cores = pick(random, 1, 4),
                    .cluster = static_cast<unsigned>(pick(random, 0, 3))});
      std::set<int> far;
      for (unsigned cluster = 0; cluster < tables.clusters(); ++cluster) {
        std::set<int> members;
        double strength = 0;
        for (int each = 0; each < pes; ++each) {
          if (tables.lost(each) || tables.cluster_of(each) != cluster) continue;
          members.insert(each);
          strength += tables.static_of(each).strength();
          if (tables.is_far(each)) far.insert(each);
        }
        const auto said = tables.members(cluster);
        ASSERT_EQ(std::set<int>(said.begin(), said.end()), members);
        ASSERT_EQ(said.size(), members.size());
        ASSERT_NEAR(tables.cluster_strength(cluster), strength, 1e-9);
        ASSERT_EQ(tables.representative(cluster), members.empty() ? -1 : *members.begin());
      }
      ASSERT_EQ(std::set<int>(tables.far().begin(), tables.far().end()), far);
      ASSERT_EQ(tables.far().size(), far.size());
    }
  }
}

// About: another one's counts as soon as it is heard of.
TEST(Tables, TheLowestLatencyFollows) {
  Tables tables(0, 3);
  EXPECT_EQ(tables.lowest_latency(), 0);
  tables.note_latency(1, {50, 1});
  tables.note_latency(2, {80, 1});
  EXPECT_EQ(tables.lowest_latency(), 50);
  for (const Nanos second : {1, 2}) tables.note_latency(1, {90, second * 1'000'000'000 + 1});
  EXPECT_EQ(tables.lowest_latency(), 90);
  tables.note_latency(2, {80, 2});
  EXPECT_EQ(tables.lowest_latency(), 80);
  tables.forget(2);
  EXPECT_EQ(tables.lowest_latency(), 0);
}

TEST(Tables, LostIsForEver) {
  Random random(2);
  Tables tables(0, 30);
  std::set<int> lost;
  for (int i = 0; i < 5'000; ++i) {
    const int pe = pick(random, 1, 29);
    EXPECT_EQ(tables.note_load(pe, load(1, 1, i)), !lost.contains(pe));
    if (i % 200 == 199) {
      tables.forget(pe);
      tables.forget(pe);
      lost.insert(pe);
    }
    const auto others = tables.others();
    const std::set<int> alive(others.begin(), others.end());
    ASSERT_EQ(others.size(), 29 - lost.size());
    ASSERT_EQ(alive.size(), others.size());
    for (const int gone : lost) ASSERT_TRUE(!alive.contains(gone) && tables.lost(gone));
    // Whoever hears of a lost PE must not have heard it from here.
    Tables reader(1, 30);
    read(reader, piggyback(tables, i, {}), 0, i);
    for (const int gone : lost) ASSERT_FALSE(reader.known(gone));
  }
  tables.forget(0);
  EXPECT_FALSE(tables.lost(0));
}

}  // namespace
}  // namespace trawl::balance
