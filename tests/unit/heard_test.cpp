// Bounded tables of what was heard, and the facts of all PEs that a process has once.
#include "rts/balance/heard.hpp"

#include <map>
#include <memory>

#include <gtest/gtest.h>
#include <malloc.h>

#include "rts/inline/error.hpp"
#include "tests/unit/balance_inputs.hpp"
#include "tests/unit/piggybacks.hpp"

namespace trawl::balance {
namespace {

struct Row {
  int value = 0;

  Nanos when() const { return value; }
};

// Keys that want the same place, and those of pairs.
std::uint64_t some_key(Random& random) {
  const auto pick_one = [&](int most) { return static_cast<std::uint64_t>(pick(random, 0, most)); };
  if (pick(random, 0, 1) == 0) return pick_one(3) << 32U | pick_one(20);
  return pick_one(3) * 64 + pick_one(20);
}

TEST(Heard, IsAMap) {
  Random random(5);
  Heard<Row, 16> heard;
  std::map<std::uint64_t, int> expected;
  for (int i = 0; i < 100'000; ++i) {
    const auto key = some_key(random);
    if (pick(random, 0, 2) == 0) {
      heard.remove(key);
      expected.erase(key);
    } else if (auto* row = heard.find(key)) {
      row->value = expected[key] = i;
    } else if (heard.entries().size() < 16) {
      heard.add(key, {i});
      expected[key] = i;
    }
    ASSERT_EQ(heard.entries().size(), expected.size());
    for (const auto& [each, value] : expected) {
      ASSERT_NE(heard.find(each), nullptr);
      ASSERT_EQ(heard.find(each)->value, value);
    }
    ASSERT_EQ(heard.find(key) != nullptr, expected.contains(key));
  }
}

// All others are still found, with their own rows; what is old is refused.
TEST(Heard, OldRowsMakeRoomForNewOnes) {
  Random random(6);
  Heard<Row, 16> heard;
  std::map<std::uint64_t, int> newest;
  for (int i = 1; i <= 50'000; ++i) {
    const auto key = some_key(random);
    if (heard.find(key) != nullptr) continue;
    ASSERT_NE(heard.add(key, {i}), nullptr);
    newest[key] = i;
    ASSERT_EQ(heard.find(key)->value, i);
    for (const auto& entry : heard.entries()) {
      ASSERT_EQ(heard.find(entry.key), &entry.row);
      ASSERT_EQ(entry.row.value, newest[entry.key]);
    }
  }
  EXPECT_EQ(heard.entries().size(), 16U);
  EXPECT_EQ(heard.add(1'000'000, {0}), nullptr);
  EXPECT_EQ(heard.find(1'000'000), nullptr);
}

TEST(Roster, InShortIsTheSame) {
  Random random(7);
  for (int trial = 0; trial < 500; ++trial) {
    std::vector<PeStatic> facts;
    const int kinds = pick(random, 1, 3);
    for (auto pes = pick(random, 1, 60); pes > 0;) {
      const PeStatic one{1.0 + pick(random, 0, kinds), pick(random, 1, kinds),
                         static_cast<std::uint32_t>(pick(random, 0, kinds))};
      for (auto alike = std::min(pes, pick(random, 1, 9)); alike > 0; --alike, --pes)
        facts.push_back(one);
    }
    const auto roster = Roster::shared(in_short(facts));
    ASSERT_EQ(roster->size(), static_cast<int>(facts.size()));
    for (int pe = 0; pe < roster->size(); ++pe)
      ASSERT_EQ((*roster)[pe], facts[static_cast<std::size_t>(pe)]);
  }
}

TEST(Roster, AGridOfEqualClustersIsShort) {
  std::vector<PeStatic> facts;
  for (std::uint32_t pe = 0; pe < 65'536; ++pe) facts.push_back({.speed = 2, .cluster = pe / 16});
  const auto in_two = in_short(facts);
  EXPECT_EQ(in_two.size(), 2U);
  const auto roster = Roster::shared(in_two);
  EXPECT_EQ(roster->clusters(), 4096U);
  EXPECT_EQ(Roster::shared(in_short(facts)), roster) << "one for all PEs of the process";
  EXPECT_NE(Roster::shared({{.pes = 4}}), roster);
}

double uniform(Random& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

double strength_of(std::span<const PeStatic> facts) {
  double sum = 0;
  for (const auto& each : facts) sum += each.strength();
  return sum;
}

// No two measurements are the same.
TEST(Roster, AClusterOfMeasuredSpeedsIsShort) {
  Random random(8);
  constexpr double noise = 0.03;
  std::vector<PeStatic> facts;
  for (std::uint32_t pe = 0; pe < 6'400; ++pe) {
    const auto cluster = pe / 64;
    facts.push_back({(1 + cluster % 7) * uniform(random, 1 - noise, 1 + noise), 2, cluster});
  }
  const auto all = in_short(facts, 256);
  EXPECT_LE(all.size(), 256U);
  const auto roster = Roster::shared(all);
  for (std::uint32_t cluster = 0; cluster < 100; ++cluster) {
    const auto strength = strength_of(std::span(facts).subspan(64 * cluster, 64));
    ASSERT_NEAR(roster->strength(cluster) / strength, 1, noise);
  }
  for (int pe = 0; pe < roster->size(); ++pe)
    ASSERT_NEAR((*roster)[pe].speed / facts[static_cast<std::size_t>(pe)].speed, 1, 3 * noise);
}

TEST(Roster, PesOfAllKindsAreToldInGroups) {
  Random random(9);
  std::vector<PeStatic> facts;
  for (std::uint32_t pe = 0; pe < 10'000; ++pe)
    facts.push_back({uniform(random, 0.01, 100), pick(random, 1, 64), pe / 100});
  const auto roster = Roster::shared(in_short(facts, 256));
  EXPECT_LE(in_short(facts, 256).size(), 256U);
  EXPECT_EQ(roster->size(), 10'000);
  EXPECT_NEAR(roster->mean_strength() * 10'000 / strength_of(facts), 1, 1e-9);
  for (int pe = 0; pe < roster->size(); ++pe)
    ASSERT_EQ((*roster)[pe].cluster, facts[static_cast<std::size_t>(pe)].cluster);
  EXPECT_EQ(in_short(std::span(facts).first(256), 256).size(), 256U) << "few are told as they are";
}

// Whatever is heard on a large grid, a PE keeps little of it: the newest.
TEST(Tables, AreBounded) {
  constexpr int pes = 65'536;
  Tables tables(0, pes);
  tables.set_roster(Roster::shared({{.times = pes / 16, .pes = 16}}));
  for (int pe = 1; pe < pes; ++pe) {
    EXPECT_TRUE(tables.note_load(pe, load(pe % 2 == 0, 1, pe)));
    EXPECT_TRUE(tables.note_latency(pe, {1'000, pe}));
  }
  int loads = 0;
  int latencies = 0;
  for (int pe = 1; pe < pes; ++pe) {
    loads += tables.known(pe) ? 1 : 0;
    latencies += tables.latency_to(pe).measured >= 0 ? 1 : 0;
  }
  EXPECT_EQ(loads, static_cast<int>(Tables::max_loads));
  EXPECT_EQ(latencies, static_cast<int>(Tables::max_latencies));
  EXPECT_TRUE(tables.known(pes - 1));
  EXPECT_FALSE(tables.known(1));
  for (const int pe : tables.hot(false)) EXPECT_GT(pe, pes - 100);
}

/// What PE 0's tables take when it has heard of all PEs and links that there are; 0 where malloc
/// does not say (a sanitizer's).
std::size_t bytes_of_tables(std::uint32_t clusters, std::uint32_t in_each) {
  const auto roster =
      Roster::shared({{.pes = in_each}, {.times = clusters - 1, .pes = in_each, .step = 1}});
  const auto before = ::mallinfo2().uordblks;
  const auto tables = std::make_unique<Tables>(0, roster->size());
  tables->set_roster(roster);
  const auto all = static_cast<int>(clusters * in_each);
  for (int pe = 1; pe < all; ++pe) {
    tables->note_load(pe, load(1, 1, pe));
    tables->note_latency(pe, {1'000, pe});
    tables->note_transfer(pe, 5'000, 2'000'000, pe);
    tables->note_steal(tables->cluster_of(pe), 1'000, pe, true);
    Tables teller(pe, all);
    teller.set_roster(roster);
    for (int other = 0; other < all; other += all / 8) teller.note_latency(other, {1'000, pe});
    read(*tables, piggyback(teller, pe, load(1, 1, pe), 0), pe, pe);
  }
  return ::mallinfo2().uordblks - before;
}

TEST(Tables, TakeAFewKilobytes) {
  EXPECT_LT(bytes_of_tables(4, 16), 16U << 10U);
  EXPECT_LT(bytes_of_tables(64, 16), 64U << 10U);
  EXPECT_LT(bytes_of_tables(4'096, 16), 96U << 10U) << "there are no more rows";
}

// Also when the rest that is known of it has made room.
TEST(Tables, WhoHadSparksIsKnownByItsLastLoad) {
  constexpr int pes = 65'536;
  Tables tables(0, pes);
  const auto last = [&] {
    EXPECT_EQ(tables.hot(false).size(), 1U);
    EXPECT_EQ(tables.hot(false).front(), 1);
    return tables.hot_loads(false).front();
  };
  tables.note_load(1, load(3, 1, 10));
  EXPECT_EQ(last().sparks, 3U);
  tables.note_load(1, load(0, 1, 20));
  EXPECT_EQ(last().sparks, 0U);
  tables.note_load(1, load(0, 2, 30));
  EXPECT_EQ(last().runnable, 2U) << "no news, but newer";
  tables.note_load(1, load(5, 1, 40));
  for (int pe = 2; pe < 2'000; ++pe) tables.note_load(pe, load(0, 1, 100 + pe));
  EXPECT_FALSE(tables.known(1));
  EXPECT_EQ(last().sparks, 5U);
  tables.note_load(1, load(7, 1, 35));
  EXPECT_EQ(last().sparks, 5U) << "an old rumour";
  tables.forget(1);
  EXPECT_TRUE(tables.hot(false).empty());
}

}  // namespace
}  // namespace trawl::balance
