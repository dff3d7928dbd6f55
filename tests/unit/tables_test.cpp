// The tables of loads and latencies: newer wins, bounded gossip, and hostile bytes.
#include "rts/balance/tables.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "rts/balance/policy.hpp"
#include "tests/unit/balance_inputs.hpp"

namespace trawl::balance {
namespace {

constexpr int somebody = -1;  // none of those there are

Bytes piggyback(Tables& tables, Nanos now, const Load& own, int to = somebody) {
  Writer out;
  tables.write_piggyback(out, now, own, to);
  return out.take();
}

Load read(Tables& tables, std::span<const std::byte> bytes, int from, Nanos now) {
  Reader in(bytes);
  return tables.read_piggyback(in, from, now);
}

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

TEST(Piggyback, NobodyIsToldOfHimself) {
  for (const int pes : {2, 3, 8}) {
    Tables tables(0, pes);
    for (int pe = 1; pe < pes; ++pe) tables.note_load(pe, load(9, 1, 100));
    Tables reader(1, pes);
    for (Nanos now = 200; now < 230; ++now) {
      auto told = piggyback(tables, now, load(0, 0, 0), 1);
      Reader in(told);
      in.get<Load>();
      for (auto rows = in.get<std::uint8_t>(); rows > 0; --rows) {
        EXPECT_NE(in.get<std::uint32_t>(), 1U);
        in.get<Load>();
      }
      read(reader, told, 0, now);
    }
    for (int pe = 2; pe < pes; ++pe) EXPECT_TRUE(reader.known(pe));
  }
}

TEST(Piggyback, BoundedOnAnyNumberOfPes) {
  for (const int pes : {1, 2, 8, 4096}) {
    Tables tables(0, pes);
    std::size_t largest = 0;
    for (int pe = 1; pe < pes; ++pe) {
      set_static(tables, pe, {.cluster = static_cast<std::uint32_t>(pe) / 2});
      tables.note_latency(pe, {pe, pe});
      tables.note_load(pe, load(static_cast<unsigned>(pe), 1, pe));
      largest = std::max(largest, piggyback(tables, pe, load(1, 1, 0)).size());
    }
    for (int i = 0; i < 100; ++i) largest = std::max(largest, piggyback(tables, i, {}).size());
    EXPECT_LE(largest, Tables::max_piggyback_bytes);
    if (pes >= 8) {
      EXPECT_EQ(largest, Tables::max_piggyback_bytes);
    }
  }
}

TEST(Piggyback, TellsOwnLoadAndReturnsTheTimeOfSending) {
  Tables writer(2, 5), reader(3, 5);
  const auto own = read(reader, piggyback(writer, 1'000, load(7, 3, 0)), 2, 1'500);
  EXPECT_EQ(own.measured, 1'000);
  EXPECT_EQ(reader.load_of(2).sparks, 7u);
  EXPECT_EQ(reader.load_of(2).runnable, 3u);
  EXPECT_EQ(reader.load_of(2).measured, 1'000);
}

TEST(Piggyback, EveryKnownRowHasItsTurn) {
  constexpr int pes = 100;
  Tables writer(0, pes), reader(1, pes);
  for (int pe = 1; pe < pes; ++pe) {
    writer.note_load(pe, load(pe % 2 == 0 ? 5 : 0, 1, pe));
  }
  for (int i = 0; i < pes / 2 + 1; ++i) read(reader, piggyback(writer, 1'000 + i, {}), 0, 2'000);
  for (int pe = 2; pe < pes; ++pe) EXPECT_TRUE(reader.known(pe)) << pe;
}

/// Of whom a message tells, in order.
std::vector<int> told(const Bytes& bytes) {
  Reader in(bytes);
  in.get<Load>();
  std::vector<int> pes(in.get<std::uint8_t>());
  for (int& pe : pes) {
    pe = static_cast<int>(in.get<std::uint32_t>());
    in.get<Load>();
  }
  return pes;
}

TEST(Piggyback, TwoOfThoseWithSparksAreInEachMessageTheFreshestInTurns) {
  constexpr int pes = 100;
  for (int with_sparks = 1; with_sparks <= 12; ++with_sparks) {
    Tables tables(0, pes);
    for (int pe = 1; pe < pes; ++pe) tables.note_load(pe, load(pe <= with_sparks, 1, pe));
    const int talked_about = std::min(with_sparks, 8);
    std::map<int, int> times;
    for (int i = 0; i < 40; ++i) {
      const auto pes_told = told(piggyback(tables, 1'000, {}));
      ASSERT_GE(pes_told.size(), 2U);
      for (const int at : {0, 1})
        if (at < talked_about) ++times[pes_told[static_cast<std::size_t>(at)]];
    }
    EXPECT_EQ(static_cast<int>(times.size()), talked_about);
    for (int pe = with_sparks - talked_about + 1; pe <= with_sparks; ++pe)
      EXPECT_NEAR(times[pe], std::min(80 / talked_about, 40), 1) << pe;
  }
}

// Sooner than its turn would come: of 99 there are two in each message.
TEST(Piggyback, WhoseSparksAreOldIsNoMoreTalkedAbout) {
  Tables tables(0, 100);
  for (int pe = 20; pe < 100; ++pe) tables.note_load(pe, load(0, 1, pe));
  for (int pe = 1; pe <= 8; ++pe) tables.note_load(pe, load(1, 1, 200 + pe));
  tables.note_load(9, load(1, 1, 50));
  for (int i = 0; i < 8; ++i) {
    const auto pes_told = told(piggyback(tables, 1'000, {}));
    for (const int at : {0, 1}) EXPECT_NE(pes_told[static_cast<std::size_t>(at)], 9);
  }
}

TEST(Piggyback, RunningOutIsUrgentNews) {
  constexpr int pes = 100;
  Tables writer(0, pes), reader(1, pes);
  // So many have sparks that the last is no longer the talk of the grid; in turn it is far off too.
  for (int pe = 1; pe < pes; ++pe) writer.note_load(pe, load(5, 1, pes - pe));
  writer.note_load(pes - 1, load(0, 1, pes));
  for (int i = 0; i < 4; ++i) read(reader, piggyback(writer, 1'000 + i, {}), 0, 2'000);
  EXPECT_TRUE(reader.known(pes - 1));
}

/// Rounds until all 64 PEs, each sending one message a round to a random PE, agree on `done`.
int rounds_until(std::vector<Tables>& grid, Random& random, Nanos& now, unsigned busy_sparks,
                 const std::function<bool(const Tables&)>& done) {
  const int pes = static_cast<int>(grid.size());
  for (int round = 1; round <= 1'000; ++round) {
    for (int from = 0; from < pes; ++from) {
      now += 1'000;
      const int to = (from + pick(random, 1, pes - 1)) % pes;
      const auto bytes = piggyback(grid[static_cast<std::size_t>(from)], now,
                                   load(from == 17 ? busy_sparks : 0, 1, 0));
      read(grid[static_cast<std::size_t>(to)], bytes, from, now);
    }
    if (std::all_of(grid.begin(), grid.end(), done)) return round;
  }
  return 1'000;
}

TEST(Piggyback, GossipReachesEveryone) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    Nanos now = 1'000'000;
    std::vector<Tables> grid;
    grid.reserve(64);
    for (int pe = 0; pe < 64; ++pe) grid.emplace_back(pe, 64);
    // Everyone is known to everyone first: the news must overtake what is old.
    for (auto& tables : grid) {
      for (int pe = 0; pe < 64; ++pe) tables.note_load(pe, load(0, 1, 1));
    }
    const int busy = rounds_until(grid, random, now, 9, [](const Tables& tables) {
      return tables.self() == 17 || tables.load_of(17).sparks == 9;
    });
    EXPECT_LE(busy, 20);
    const int idle_again = rounds_until(grid, random, now, 0, [](const Tables& tables) {
      return tables.self() == 17 || tables.load_of(17).sparks == 0;
    });
    EXPECT_LE(idle_again, 20);
    RecordProperty("rounds_seed_" + std::to_string(seed), busy * 1'000 + idle_again);
  }
}

TEST(Piggyback, TimesInTheFutureBecomeNow) {
  constexpr Nanos second = 1'000'000'000;
  for (const Nanos sent : {10 * second, std::numeric_limits<Nanos>::max()}) {
    Tables writer(0, 3), reader(1, 3);
    writer.note_load(2, load(4, 4, sent));
    read(reader, piggyback(writer, sent, {}), 0, 5 * second);
    EXPECT_EQ(reader.load_of(0).measured, 5 * second);
    EXPECT_EQ(reader.load_of(2).measured, 5 * second);
    EXPECT_EQ(reader.load_of(2).sparks, 4u);
  }
  Tables writer(0, 3), reader(1, 3);
  read(reader, piggyback(writer, 5 * second + 1, {}), 0, 5 * second);
  EXPECT_EQ(reader.load_of(0).measured, 5 * second + 1);
}

TEST(Piggyback, HostileBytesTeachNothingOrSomethingValid) {
  constexpr int pes = 10;
  constexpr Nanos now = 1'000'000;
  Tables writer(0, pes);
  for (int pe = 1; pe < pes; ++pe) writer.note_load(pe, load(3, 1, 1'000 + pe));
  const auto good = piggyback(writer, now, load(1, 2, 0));
  const int refused = torment(good, [&](std::span<const std::byte> bytes) {
    Tables reader(1, pes);
    try {
      read(reader, bytes, 0, now);
    } catch (const BadBytes&) {
      for (int pe = 0; pe < pes; ++pe) EXPECT_FALSE(reader.known(pe));
      throw;
    }
    EXPECT_FALSE(reader.known(1));
    for (int pe = 0; pe < pes; ++pe) EXPECT_LE(reader.load_of(pe).measured, now + 1'000'000'000);
    EXPECT_NE(make_policy("trawl")->next(reader, {}, 7).victim, -1);
    EXPECT_LE(piggyback(reader, now, {}).size(), Tables::max_piggyback_bytes);
  });
  EXPECT_GT(refused, 10'000);

  Tables reader(1, pes);
  EXPECT_THROW(read(reader, good, -1, now), BadBytes);
  EXPECT_THROW(read(reader, good, pes, now), BadBytes);
  auto negative = good;
  negative[15] = std::byte{0x80};  // the sign of the sender's own time
  EXPECT_THROW(read(reader, negative, 0, now), BadBytes);
  auto many = good;
  many[16] = std::byte{Tables::max_relayed + 1};
  many.resize(many.size() + 20);
  EXPECT_THROW(read(reader, many, 0, now), BadBytes);
}

}  // namespace
}  // namespace trawl::balance
