// Fish and hostile bytes, what holds for every policy, back-off.
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

#include "rts/balance/backoff.hpp"
#include "tests/unit/balance_inputs.hpp"

namespace trawl::balance {
namespace {

/// Tables with arbitrary contents: clusters, speeds, loads, latencies, lost PEs.
Tables random_tables(Random& random, int pes) {
  Tables tables(pick(random, 0, pes - 1), pes);
  const int clusters = pick(random, 1, 4);
  const int busy = pick(random, 0, 3);
  for (int pe = 0; pe < pes; ++pe) {
    set_static(tables, pe,
               {.speed = pick(random, 1, 100) / 10.0,
                .cluster = static_cast<unsigned>(pick(random, 1, clusters))});
    if (pick(random, 0, 3) != 0) {
      const bool sparks = pick(random, 0, 3) < busy;
      tables.note_load(pe, load(sparks ? 7 : 0, static_cast<unsigned>(pick(random, 0, 2)), 5));
    }
    if (pick(random, 0, 1) != 0) {
      tables.note_latency(pe, {pick(random, -10, 1'000'000), 1});
    }
    if (pick(random, 0, 9) == 0) tables.forget(pe);
  }
  return tables;
}

TEST(Fish, SurvivesTheJourney) {
  Fish fish{.thief = 3, .number = 77, .patience = 12'345, .hungry = 678, .ahead = true};
  for (int pe = 10; pe < 30; ++pe) {
    Writer out;
    fish.write(out);
    Reader in(out.view());
    const auto arrived = Fish::read(in, {0, 1, 30});
    EXPECT_EQ(in.left(), 0u);
    EXPECT_EQ(arrived, fish);
    fish.visit(pe);
  }
  EXPECT_EQ(fish.age, Fish::max_age);
  EXPECT_TRUE(fish.has_visited(10) && fish.has_visited(19) && !fish.has_visited(20));
}

TEST(Fish, HostileBytes) {
  constexpr int pes = 12;
  Fish fish{.thief = 3, .number = 1};
  for (int pe = 4; pe < 10; ++pe) fish.visit(pe);
  Writer out;
  fish.write(out);
  const int refused = torment(out.take(), [&](std::span<const std::byte> bytes) {
    Reader in(bytes);
    const auto read = Fish::read(in, {0, 1, pes});
    EXPECT_TRUE(read.thief >= 0 && read.thief < pes && read.number != 0 &&
                read.age <= Fish::max_age);
    EXPECT_TRUE(read.patience >= 0 && read.patience <= Backoff::longest);
    EXPECT_TRUE(read.hungry >= 0 && read.hungry <= Fish::most_hungry);
    for (const int pe : read.visited()) EXPECT_TRUE(pe >= 0 && pe < pes);
  });
  EXPECT_GT(refused, 10'000);
}

TEST(Policy, NamesAreKnownAndWrongOnesRefused) {
  for (const auto name : policy_names()) EXPECT_NE(make_policy(name), nullptr);
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
    EXPECT_EQ(make_policy(name)->next(Tables(0, 1), {}, 5).victim, -1);
    Tables deserted(1, 2);
    deserted.forget(0);
    EXPECT_EQ(make_policy(name)->next(deserted, {}, 5).victim, -1);
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
    const int first = policy->next(grid[0], {}, random()).victim;
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
    EXPECT_EQ(policy->next(tables, {}, bits).victim, policy->next(tables, {}, bits).victim);
    EXPECT_EQ(policy->forward(tables, fish, bits), policy->forward(tables, fish, bits));
  }
}

TEST_P(EveryPolicy, Pe0IsAsGoodAsAnother) {
  const auto policy = make_policy(GetParam());
  Tables tables(1, 3);
  Fish fish{.thief = 2};
  fish.visit(1);
  const bool goes_on = GetParam() == "random" || GetParam() == "trawl";
  EXPECT_EQ(policy->forward(tables, fish, 1), goes_on ? 0 : 2);
  tables.forget(2);
  EXPECT_EQ(policy->next(tables, {}, 1).victim, 0);
  EXPECT_EQ(policy->forward(tables, fish, 1), -1) << "its thief is lost";
}

TEST_P(EveryPolicy, NotHungryItDoesNotFish) {
  const auto policy = make_policy(GetParam());
  const Tables tables(1, 3);
  EXPECT_EQ(policy->next(tables, {.hungry = false, .idle = false}, 1).victim, -1);
}

// However many it asks for, they come to an end.
TEST_P(EveryPolicy, AFewFishAreUnderWayAtMost) {
  const auto policy = make_policy(GetParam());
  Random random(9);
  for (int trial = 0; trial < 1'000; ++trial) {
    const auto tables = random_tables(random, 24);
    std::vector<Cast> under_way;
    for (; under_way.size() < 10;) {
      const Situation pe{.waiting = 5, .under_way = under_way};
      const int victim = policy->next(tables, pe, random()).victim;
      if (victim < 0) break;
      const bool far = tables.is_far(victim);
      if (GetParam() == "cmrs") {
        for (const auto& cast : under_way) ASSERT_NE(cast.cluster, tables.cluster_of(victim));
      }
      under_way.push_back({1, victim, tables.cluster_of(victim), far, 0});
    }
    ASSERT_LE(under_way.size(), GetParam() == "trawl" ? 7U : 4U);
    if (GetParam() == "rs" || GetParam() == "random" || GetParam() == "targeted") {
      ASSERT_LE(under_way.size(), 1U);
    }
    if (GetParam() == "crs" || GetParam() == "acrs") {
      ASSERT_EQ(under_way.size(), (tables.far().empty() ? 0U : 1U) +
                                      (tables.members(tables.own_cluster()).size() > 1 ? 1U : 0U));
    }
  }
}

TEST_P(EveryPolicy, GivesSomeOfWhatThereIs) {
  const auto policy = make_policy(GetParam());
  Random random(10);
  for (int trial = 0; trial < 1'000; ++trial) {
    const auto tables = random_tables(random, 24);
    const Fish fish{.thief = pick(random, 0, 23)};
    for (const unsigned spare : {1U, 5U, 1'000U}) {
      const auto given = policy->portion(tables, fish, {spare});
      ASSERT_GE(given, 1U);
      ASSERT_LE(given, std::min(spare, 62U));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Balance, EveryPolicy, testing::ValuesIn(policy_names()),
                         [](const auto& each) { return std::string(each.param); });

TEST(Backoff, DoublesWithinItsBounds) {
  constexpr Nanos shortest = 20'000, longest = 5'000'000;
  Random random(5);
  Backoff backoff(shortest, longest);
  Nanos base = shortest;
  for (int i = 0; i < 1'000; ++i) {
    const auto delay = backoff.next(random());
    EXPECT_GE(delay, base);
    EXPECT_LT(delay, 2 * base);
    EXPECT_LE(delay, longest);
    base = std::min(2 * base, longest / 2);
  }
  backoff.reset();
  EXPECT_LT(backoff.next(~std::uint64_t{0}), 2 * shortest);
}

TEST(Backoff, JitterSpreadsDelays) {
  Random random(6);
  std::set<Nanos> delays;
  for (int i = 0; i < 100; ++i) delays.insert(Backoff(20'000, 5'000'000).next(random()));
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

}  // namespace
}  // namespace trawl::balance
