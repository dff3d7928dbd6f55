// The tables (newer wins, bounded gossip), the policies, and bytes nobody should have sent.
#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "rts/balance/policy.hpp"
#include "rts/balance/tables.hpp"

namespace trawl::balance {
namespace {

using Random = std::mt19937_64;

int pick(Random& random, int low, int high) {
  return std::uniform_int_distribution<int>(low, high)(random);
}

Load load(unsigned sparks, unsigned runnable, Nanos measured) {
  return {sparks, runnable, measured};
}

/// Tables with arbitrary contents: clusters, speeds, loads, latencies, lost PEs.
Tables random_tables(Random& random, int pes) {
  Tables tables(pick(random, 0, pes - 1), pes);
  const int clusters = pick(random, 1, 4);
  const int busy = pick(random, 0, 3);
  for (int pe = 0; pe < pes; ++pe) {
    tables.set_static(pe, {.speed = pick(random, 1, 100) / 10.0,
                           .cluster = static_cast<unsigned>(pick(random, 1, clusters))});
    if (pick(random, 0, 3) != 0) {
      const bool sparks = pick(random, 0, 3) < busy;
      tables.note_load(pe, load(sparks ? 7 : 0, static_cast<unsigned>(pick(random, 0, 2)), 5));
    }
    if (pick(random, 0, 1) != 0) {
      tables.note_latency(tables.self(), pe, {pick(random, -10, 1'000'000), 1});
    }
    if (pick(random, 0, 9) == 0) tables.forget(pe);
  }
  return tables;
}

Bytes piggyback(Tables& tables, Nanos now, const Load& own) {
  Writer out;
  tables.write_piggyback(out, now, own);
  return out.take();
}

Load read(Tables& tables, std::span<const std::byte> bytes, int from, Nanos now) {
  Reader in(bytes);
  return tables.read_piggyback(in, from, now);
}

/// Calls `parse` with every truncation, every bit flip and many random strings; each must be taken
/// or refused with BadBytes. Returns how many were refused.
int torment(const Bytes& good, const std::function<void(std::span<const std::byte>)>& parse) {
  int refused = 0;
  // Each input has a heap block of its exact size, so that a sanitizer sees reads past its end.
  const auto attempt = [&](const Bytes& input) {
    try {
      parse(input);
    } catch (const BadBytes&) {
      ++refused;
    }
  };
  for (std::size_t size = 0; size < good.size(); ++size) {
    const int before = refused;
    attempt(Bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)));
    EXPECT_EQ(refused, before + 1) << "truncated to " << size;
  }
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    auto bad = good;
    bad[bit / 8] ^= std::byte(1 << (bit % 8));
    attempt(bad);
  }
  Random random(99);
  for (int i = 0; i < 20'000; ++i) {
    Bytes noise(static_cast<std::size_t>(pick(random, 0, 120)));
    const int largest = i % 2 == 0 ? 255 : 5;  // small values pass more of the checks
    for (auto& byte : noise) byte = std::byte(pick(random, 0, largest));
    attempt(noise);
  }
  return refused;
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

TEST(Tables, LatenciesNewerWinsOwnRowOnly) {
  Tables tables(1, 4);
  EXPECT_LT(tables.latency_to(2).measured, 0);
  EXPECT_TRUE(tables.note_latency(1, 2, {500, 10}));
  EXPECT_FALSE(tables.note_latency(1, 2, {700, 9}));
  EXPECT_FALSE(tables.note_latency(3, 2, {700, 11}));
  EXPECT_FALSE(tables.note_latency(1, 1, {700, 11}));
  EXPECT_EQ(tables.latency_to(2).one_way, 500);
  EXPECT_TRUE(tables.note_latency(1, 2, {-3, 12}));
  EXPECT_EQ(tables.latency_to(2).one_way, 0);
}

TEST(Tables, ImpossibleFactsAreRefused) {
  Tables tables(0, 2);
  for (const double speed : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(tables.set_static(1, {.speed = speed}), Error);
  }
  EXPECT_THROW(tables.set_static(1, {.cores = 0}), Error);
  EXPECT_EQ(tables.static_of(1).speed, 1);
}

TEST(Tables, ClustersAndMeanSpeedFollowChanges) {
  Tables tables(1, 3);
  EXPECT_FALSE(tables.has_clusters());
  for (int pe = 0; pe < 3; ++pe) tables.set_static(pe, {.speed = 1.0 + pe, .cluster = 4});
  EXPECT_FALSE(tables.has_clusters());
  EXPECT_DOUBLE_EQ(tables.mean_speed(), 2);
  tables.set_static(2, {.speed = 6, .cluster = 5});
  EXPECT_TRUE(tables.has_clusters());
  EXPECT_DOUBLE_EQ(tables.mean_speed(), 3);
  tables.forget(2);
  EXPECT_DOUBLE_EQ(tables.mean_speed(), 1.5);
  tables.set_static(2, {.speed = 100, .cluster = 4});
  EXPECT_FALSE(tables.has_clusters());
  EXPECT_DOUBLE_EQ(tables.mean_speed(), 1.5);
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

TEST(Piggyback, BoundedOnAnyNumberOfPes) {
  for (const int pes : {1, 2, 8, 4096}) {
    Tables tables(0, pes);
    std::size_t largest = 0;
    for (int pe = 1; pe < pes; ++pe) {
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
    EXPECT_NE(make_policy("targeted")->victim(reader, 7), -1);
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

TEST(Fish, SurvivesTheJourney) {
  Fish fish{.thief = 3};
  for (int pe = 10; pe < 30; ++pe) {
    Writer out;
    fish.write(out);
    Reader in(out.view());
    const auto arrived = Fish::read(in, 30);
    EXPECT_EQ(in.left(), 0u);
    EXPECT_EQ(arrived.thief, 3);
    EXPECT_TRUE(std::ranges::equal(arrived.visited(), fish.visited()));
    fish.visit(pe);
  }
  EXPECT_EQ(fish.age, Fish::max_age);
  EXPECT_TRUE(fish.has_visited(10) && fish.has_visited(19) && !fish.has_visited(20));
}

TEST(Fish, HostileBytes) {
  constexpr int pes = 12;
  Fish fish{.thief = 3};
  for (int pe = 4; pe < 10; ++pe) fish.visit(pe);
  Writer out;
  fish.write(out);
  const int refused = torment(out.take(), [&](std::span<const std::byte> bytes) {
    Reader in(bytes);
    const auto read = Fish::read(in, pes);
    EXPECT_TRUE(read.thief >= 0 && read.thief < pes && read.age <= Fish::max_age);
    for (const int pe : read.visited()) EXPECT_TRUE(pe >= 0 && pe < pes);
  });
  EXPECT_GT(refused, 10'000);
}

TEST(Policy, NamesAreKnownAndWrongOnesRefused) {
  for (const auto name : policy_names()) EXPECT_EQ(make_policy(name)->name(), name);
  try {
    make_policy("clever");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), 2);
    for (const auto name : policy_names()) {
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos);
    }
  }
}

TEST(Policy, NobodyElse) {
  for (const auto name : policy_names()) {
    EXPECT_EQ(make_policy(name)->victim(Tables(0, 1), 5), -1);
    Tables deserted(1, 2);
    deserted.forget(0);
    EXPECT_EQ(make_policy(name)->victim(deserted, 5), -1);
  }
}

class EveryPolicy : public testing::TestWithParam<std::string_view> {};

TEST_P(EveryPolicy, ChoosesOnlyTheLivingAndEveryFishGetsHome) {
  const auto policy = make_policy(GetParam());
  Random random(7);
  for (int trial = 0; trial < 3'000; ++trial) {
    const int pes = pick(random, 2, 24);
    std::vector<Tables> grid;
    for (int pe = 0; pe < pes; ++pe) grid.push_back(random_tables(random, pes));
    Fish fish{.thief = grid[0].self()};
    const int first = policy->victim(grid[0], random());
    ASSERT_TRUE(first == -1 ? grid[0].others().empty()
                            : first != fish.thief && !grid[0].lost(first));
    // Each hop asks tables that know nothing of the last: the bound must not need their agreement.
    int hops = 0;
    for (int next = first; next != -1 && next != fish.thief; ++hops) {
      ASSERT_LE(hops, static_cast<int>(Fish::max_age));
      const auto at = std::find_if(grid.begin(), grid.end(),
                                   [next](const Tables& each) { return each.self() == next; });
      const auto& tables = at == grid.end() ? grid[0] : *at;
      fish.visit(tables.self());
      next = policy->forward(tables, fish, random());
      ASSERT_EQ(next == -1, tables.lost(fish.thief));
      if (next == -1 || next == fish.thief) continue;
      ASSERT_NE(next, tables.self());
      ASSERT_FALSE(tables.lost(next));
      ASSERT_FALSE(fish.has_visited(next));
    }
  }
}

TEST_P(EveryPolicy, SameBitsSameDecision) {
  const auto policy = make_policy(GetParam());
  Random random(8);
  for (int trial = 0; trial < 200; ++trial) {
    const auto tables = random_tables(random, 16);
    const auto bits = random();
    const Fish fish{.thief = pick(random, 0, 15)};
    EXPECT_EQ(policy->victim(tables, bits), policy->victim(tables, bits));
    EXPECT_EQ(policy->forward(tables, fish, bits), policy->forward(tables, fish, bits));
  }
}

INSTANTIATE_TEST_SUITE_P(Balance, EveryPolicy, testing::ValuesIn(policy_names()),
                         [](const auto& each) { return std::string(each.param); });

/// How often each PE is chosen as the victim in 10,000 decisions.
std::map<int, int> victims(std::string_view policy, const Tables& tables) {
  Random random(11);
  const auto chooser = make_policy(policy);
  std::map<int, int> chosen;
  for (int i = 0; i < 10'000; ++i) ++chosen[chooser->victim(tables, random())];
  return chosen;
}

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

TEST(TargetedPolicy, BusiestForItsSpeed) {
  Tables tables(0, 5);
  tables.set_static(1, {.speed = 4});
  tables.set_static(2, {.speed = 1});
  tables.note_load(1, load(10, 2, 1));  // 3 for its speed
  tables.note_load(2, load(4, 1, 1));   // 5
  tables.note_load(3, load(0, 90, 1));  // nothing to give
  EXPECT_EQ(victims("targeted", tables), (std::map<int, int>{{2, 10'000}}));
  tables.note_load(2, load(0, 0, 2));
  EXPECT_EQ(victims("targeted", tables), (std::map<int, int>{{1, 10'000}}));
}

TEST(TargetedPolicy, EqualsShareTheFish) {
  Tables tables(0, 5);
  for (const int pe : {1, 3, 4}) tables.note_load(pe, load(5, 1, 1));
  const auto chosen = victims("targeted", tables);
  EXPECT_EQ(chosen.size(), 3u);
  for (const auto& [pe, times] : chosen) EXPECT_NEAR(times, 3'333, 300) << pe;
}

TEST(TargetedPolicy, NearFirstByCluster) {
  Tables tables(0, 4);
  tables.set_static(2, {.cluster = 1});
  tables.set_static(3, {.cluster = 1});
  tables.note_load(1, load(1, 0, 1));
  tables.note_load(2, load(100, 9, 1));
  EXPECT_EQ(victims("targeted", tables), (std::map<int, int>{{1, 10'000}}));
  tables.note_load(1, load(0, 9, 2));
  EXPECT_EQ(victims("targeted", tables), (std::map<int, int>{{2, 10'000}}));
}

TEST(TargetedPolicy, NearFirstByLatencyWithoutClusters) {
  Tables tables(0, 4);
  tables.note_latency(0, 1, {300'000, 1});
  tables.note_latency(0, 2, {20'000'000, 1});
  tables.note_latency(0, 3, {400'000, 1});
  tables.note_load(1, load(1, 0, 1));
  tables.note_load(2, load(100, 9, 1));
  tables.note_load(3, load(2, 0, 1));
  EXPECT_EQ(victims("targeted", tables), (std::map<int, int>{{3, 10'000}}));
}

TEST(TargetedPolicy, MainPeIsAGoodGuessUntilHeardOf) {
  Tables tables(9, 100);
  EXPECT_NEAR(victims("targeted", tables)[0], 5'050, 300);
  tables.note_load(0, load(0, 0, 1));
  EXPECT_LT(victims("targeted", tables)[0], 150);
}

TEST(TargetedPolicy, GuessesNearAndWhereThreadsRun) {
  Tables tables(0, 101);
  for (int pe = 1; pe < 101; ++pe) {
    tables.set_static(pe, {.cluster = pe > 4});
    tables.note_load(pe, load(0, pe == 2 || pe == 50, 1));
  }
  auto chosen = victims("targeted", tables);
  EXPECT_EQ(chosen.size(), 100u);  // nobody is ruled out
  int near = 0;
  for (int pe = 1; pe <= 4; ++pe) near += chosen[pe];
  EXPECT_NEAR(near, 7'500, 300);
  EXPECT_NEAR(chosen[2], 4 * chosen[1], 500);
  EXPECT_GT(chosen[50], 2 * chosen[51]);
}

TEST(TargetedPolicy, ForwardsToTheBusiestNearTheThief) {
  const auto policy = make_policy("targeted");
  Tables tables(0, 8);  // this PE and the first four are in cluster 0, the others with the thief
  for (int pe = 4; pe < 8; ++pe) tables.set_static(pe, {.cluster = 1});
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

TEST(TargetedPolicy, HopelessFishAreHomeSoon) {
  const auto policy = make_policy("targeted");
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

TEST(TargetedPolicy, WatermarksFollowSpeed) {
  const auto targeted = make_policy("targeted");
  Tables tables(0, 4);
  EXPECT_EQ(targeted->low_watermark(tables, 3), 3u);
  tables.set_static(0, {.speed = 5});  // the mean is 2
  EXPECT_EQ(targeted->low_watermark(tables, 0), 0u);
  EXPECT_EQ(targeted->low_watermark(tables, 1), 3u);
  EXPECT_EQ(targeted->low_watermark(tables, 4), 10u);
  EXPECT_EQ(make_policy("random")->low_watermark(tables, 4), 4u);
  Tables slow(1, 4);
  slow.set_static(0, {.speed = 1'000});
  EXPECT_EQ(targeted->low_watermark(slow, 2), 1u);
  Tables fast(0, 4);
  fast.set_static(0, {.speed = 1'000});
  const auto most = std::numeric_limits<unsigned>::max();
  EXPECT_EQ(targeted->low_watermark(fast, most), most);
}

TEST(Backoff, DoublesWithinItsBounds) {
  Random random(5);
  Backoff backoff;
  Nanos base = Backoff::default_min;
  for (int i = 0; i < 1'000; ++i) {
    const auto delay = backoff.next(random());
    EXPECT_GE(delay, base);
    EXPECT_LT(delay, 2 * base);
    EXPECT_LE(delay, Backoff::default_max);
    base = std::min(2 * base, Backoff::default_max / 2);
  }
  backoff.reset();
  EXPECT_LT(backoff.next(~std::uint64_t{0}), 2 * Backoff::default_min);
}

TEST(Backoff, JitterSpreadsDelays) {
  Random random(6);
  std::set<Nanos> delays;
  for (int i = 0; i < 100; ++i) delays.insert(Backoff().next(random()));
  EXPECT_GT(delays.size(), 90u);
  EXPECT_LT(*delays.begin(), 22'000);
  EXPECT_GT(*delays.rbegin(), 38'000);
}

TEST(Backoff, OddBounds) {
  constexpr Nanos hour = 3'600'000'000'000;
  for (const auto& [min, max] : {std::pair<Nanos, Nanos>{1, 1}, {3, 4}, {1, hour}, {hour, hour}}) {
    Backoff backoff(min, max);
    for (int i = 0; i < 100; ++i) {
      const auto delay = backoff.next(i % 2 == 0 ? ~std::uint64_t{0} : 0);
      EXPECT_GE(delay, min);
      EXPECT_LE(delay, max);
    }
  }
  EXPECT_THROW(Backoff(0, 10), Error);
  EXPECT_THROW(Backoff(-5, 10), Error);
  EXPECT_THROW(Backoff(10, 9), Error);
  EXPECT_THROW(Backoff(1, hour + 1), Error);
}

TEST(Portion, GrowsWithWhatThereIsButNotForFew) {
  EXPECT_EQ(portion(0), 1u);
  EXPECT_EQ(portion(31), 1u);
  EXPECT_EQ(portion(32), 2u);
  EXPECT_EQ(portion(100), 4u);
  EXPECT_EQ(portion(1'000'000), 8u);
}

}  // namespace
}  // namespace trawl::balance
