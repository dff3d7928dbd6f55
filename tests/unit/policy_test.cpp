// Where fish go and when: fish and hostile bytes, the policies, back-off, portions.
#include "rts/balance/policy.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/balance_inputs.hpp"

namespace trawl::balance {
namespace {

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

TEST(Fish, SurvivesTheJourney) {
  Fish fish{.thief = 3, .patience = 12'345};
  for (int pe = 10; pe < 30; ++pe) {
    Writer out;
    fish.write(out);
    Reader in(out.view());
    const auto arrived = Fish::read(in, {0, 1, 30});
    EXPECT_EQ(in.left(), 0u);
    EXPECT_EQ(arrived.thief, 3);
    EXPECT_EQ(arrived.patience, 12'345);
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
    const auto read = Fish::read(in, {0, 1, pes});
    EXPECT_TRUE(read.thief >= 0 && read.thief < pes && read.age <= Fish::max_age);
    EXPECT_TRUE(read.patience >= 0 && read.patience <= Backoff::longest);
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
    grid.reserve(static_cast<std::size_t>(pes));
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

TEST_P(EveryPolicy, Pe0IsAsGoodAsAnother) {
  const auto policy = make_policy(GetParam());
  Tables tables(1, 3);
  Fish fish{.thief = 2};
  fish.visit(1);
  EXPECT_EQ(policy->forward(tables, fish, 1), 0);
  tables.forget(2);
  EXPECT_EQ(policy->victim(tables, 1), 0);
  EXPECT_EQ(policy->forward(tables, fish, 1), -1) << "its thief is lost";
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

// In whatever order they come, and whatever their numbers are.
TEST(TargetedPolicy, AlwaysTheBusiestOfTheNearest) {
  const auto policy = make_policy("targeted");
  Random random(12);
  for (int trial = 0; trial < 2'000; ++trial) {
    const int self = pick(random, 0, 5);
    Tables tables(self, 6);
    for (int pe = 0; pe < 6; ++pe)
      tables.set_static(pe, {.speed = double(pick(random, 1, 3)), .cluster = random() % 2 == 0});
    for (int pe = 0; pe < 6; ++pe)
      if (pick(random, 0, 3) != 0)
        tables.note_load(pe,
                         load(static_cast<unsigned>(pick(random, 0, 9)), 1, pick(random, 1, 9)));
    Fish fish{.thief = (self + pick(random, 1, 5)) % 6};
    while (fish.age <= 4) fish.visit(self);  // no longer sent where nothing is known of
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
      EXPECT_EQ(worth(policy->victim(tables, random()), self), busiest);
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

// Near is whoever is four times as far as the nearest, and all within 200 us.
TEST(TargetedPolicy, HowNearIsNear) {
  for (const Nanos nearest : {1'000, 50'000, 60'000, 300'000}) {
    const auto limit = std::max<Nanos>(4 * nearest, 200'000);
    for (const Nanos distance : {limit, limit + 1}) {
      Tables tables(0, 4);
      tables.note_latency(0, 1, {nearest, 1});
      tables.note_latency(0, 2, {distance, 1});
      tables.note_latency(0, 3, {1'000'000'000, 1});
      tables.note_load(1, load(1, 0, 1));
      tables.note_load(2, load(5, 0, 1));
      EXPECT_EQ(victims("targeted", tables),
                (std::map<int, int>{{distance == limit ? 2 : 1, 10'000}}));
    }
  }
  Tables tables(0, 4);  // of PE 2 nothing is known: near
  tables.note_latency(0, 1, {1'000, 1});
  tables.note_load(1, load(1, 0, 1));
  tables.note_load(2, load(5, 0, 1));
  EXPECT_EQ(victims("targeted", tables), (std::map<int, int>{{2, 10'000}}));
}

TEST(TargetedPolicy, GuessesAreWeighed) {
  for (const bool far : {false, true}) {  // all are near, or none is
    Tables tables(0, 5);
    for (int pe = 1; pe < 5; ++pe) tables.set_static(pe, {.cluster = far});
    tables.note_load(1, load(0, 3, 1));
    tables.note_load(2, load(0, 0, 1));
    tables.forget(4);
    const auto chosen = victims("targeted", tables);
    ASSERT_EQ(chosen.size(), 3u);
    EXPECT_NEAR(chosen.at(1), 40'000 / 7, 200) << "its threads may spark";
    EXPECT_NEAR(chosen.at(2), 10'000 / 7, 200) << "it is idle";
    EXPECT_NEAR(chosen.at(3), 20'000 / 7, 200) << "nobody has heard of it";
  }
}

// However few are near, a near one is four times as likely as a far one.
TEST(TargetedPolicy, GuessesAreNearerTheMoreAreNear) {
  Tables tables(0, 21);
  for (int pe = 1; pe < 21; ++pe) {
    tables.set_static(pe, {.cluster = pe > 10});
    tables.note_load(pe, load(0, 0, 1));
  }
  int near = 0;
  auto chosen = victims("targeted", tables);
  for (int pe = 1; pe <= 10; ++pe) near += chosen[pe];
  EXPECT_NEAR(near, 8'000, 200);
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
  EXPECT_EQ(sparks_per_schedule(0), 1u);
  EXPECT_EQ(sparks_per_schedule(31), 1u);
  EXPECT_EQ(sparks_per_schedule(32), 2u);
  EXPECT_EQ(sparks_per_schedule(100), 4u);
  EXPECT_EQ(sparks_per_schedule(1'000'000), 8u);
}

}  // namespace
}  // namespace trawl::balance
