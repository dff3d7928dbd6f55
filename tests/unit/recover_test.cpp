// PEs die in the middle of random task graphs on random grids: the answers stay the same.
//
// Everything follows from a seed. To repeat one: TRAWL_TEST_RECOVER_SEED=n, or some: n-m; with
// TRAWL_TEST_RECOVER_ALL=1 both ends of each message of theirs die in turn.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/dying_grid.hpp"
#include "tests/unit/random_graph.hpp"
#include "tests/unit/random_grid.hpp"

namespace trawl {
namespace {

using test::below;
using test::Death;
using test::graphs;
using test::Random;
using test::random_grid;
using test::RandomGraph;
using test::Tally;

Tally run(std::uint64_t seed, const std::vector<Death>& deaths) {
  Random random(seed);
  const RandomGraph graph(random);
  auto config = random_grid(random, seed);
  config.net.notice = test::one_of<Nanos>(random, {0, 10'000, 1'000'000});
  return run_dying(config, deaths, [&] { EXPECT_EQ(graph.evaluate(random), graph.plain()); });
}

std::vector<Death> some_deaths(Random& random, std::uint64_t messages, std::uint64_t turn) {
  const auto first = below(random, messages);
  std::vector<Death> deaths{{first, turn % 2 == 0, below(random, 2) == 0}};
  if (turn % 3 == 2)
    deaths.push_back({first + below(random, messages - first), below(random, 2) == 0, true});
  return deaths;
}

void run_all_deaths(std::uint64_t seed, Tally& sum) {
  const auto messages = run(seed, {}).messages;
  for (std::uint64_t i = 0; i < 2 * messages && !testing::Test::HasFailure(); ++i) {
    SCOPED_TRACE("message " + std::to_string(i / 2));
    sum.add(run(seed, {{i / 2, i % 2 == 0, true}}));
  }
}

void run_some_deaths(std::uint64_t seed, Tally& sum) {
  constexpr std::uint64_t turns = 6;
  const auto messages = run(seed, {}).messages;
  Random random(seed);
  for (std::uint64_t turn = 0; messages > 0 && turn < turns; ++turn) {
    if (testing::Test::HasFailure()) return;
    SCOPED_TRACE("turn " + std::to_string(turn));
    sum.add(run(seed, some_deaths(random, messages, turn)));
  }
}

void run_deaths_of_all_others(std::uint64_t seed, Tally& sum) {
  const auto messages = run(seed, {}).messages;
  Random random(seed);
  for (int turn = 0; messages > 0 && turn < 4; ++turn) {
    const Death all{below(random, messages), true, turn % 2 == 0, false, true};
    const Death before{below(random, all.message + 1), below(random, 2) == 0, true};
    sum.add(run(seed, turn < 2 ? std::vector{all} : std::vector{before, all}));
  }
}

/// True: they were chosen by hand, and are told of; nothing is demanded of the sum.
bool in_graphs_by_hand(void (*run_deaths)(std::uint64_t seed, Tally& sum), Tally& sum) {
  const auto [from, to] = test::seeds("TRAWL_TEST_RECOVER_SEED", graphs);
  for (auto seed = from; seed < to && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("TRAWL_TEST_RECOVER_SEED=" + std::to_string(seed));
    run_deaths(seed, sum);
  }
  testing::Test::RecordProperty("cases", sum.text());
  const bool by_hand = std::getenv("TRAWL_TEST_RECOVER_SEED") != nullptr;
  if (by_hand) std::printf("%s\n", sum.text().c_str());
  return by_hand;
}

/// Of a graph that comes to rare cases: all is made again.
Tally some_deaths_of(std::uint64_t seed) {
  Tally sum;
  run_some_deaths(seed, sum);
  EXPECT_EQ(sum.not_made_again, 0U) << sum.text();
  return sum;
}

// A thunk that has come needs, by the name that it had at home, what was made of itself. It is
// found by that name. (Before that was so, it was made again, and with seed 8860 and the messages
// of that time waited for itself.)
TEST(Recover, WhatNeedsItselfByAnotherNameIsNotWaitedFor) {
  EXPECT_GT(some_deaths_of(20018).cases.formerly, 0U);
}

// A thunk went from PE 2 to 1. PE 0 has heard of it from 2, by the name that it has on 1. That
// dies, 2 takes it back, and then 0 asks for it by this name.
TEST(Recover, WhatWasTakenBackIsKnownByTheNameThatItHad) {
  Tally sum;
  for (std::uint64_t message = 50; message < 70; ++message)
    sum.add(run(4539, {{message, true, true}}));
  SCOPED_TRACE(sum.text());
  EXPECT_EQ(sum.not_made_again, 0U);
  EXPECT_GT(sum.cases.formerly, 0U);
}

// A thunk that had come is made again; and what is made again, in a second way, as the first leads
// nowhere. (Both at once, with somebody who forces it, had him go on with no value: seed 68089, as
// work was shared out then.)
TEST(Recover, WhoForcesWhatIsMadeAgainWaitsForIt) {
  Tally sum;
  run_deaths_of_all_others(410855, sum);
  EXPECT_EQ(sum.not_made_again, 0U);
  EXPECT_GT(sum.cases.by_thunk, 0U);
  EXPECT_GT(some_deaths_of(301334).cases.otherwise, 0U);
}

TEST(Recover, WhatIsLostIsSaid) {
  const auto sum = some_deaths_of(302494);
  EXPECT_GT(sum.cases.lost, 0U);
  EXPECT_GT(sum.cases.reverted, 0U);
}

// What the first one's death has had the main PE tell itself may not keep it from reading of the
// second one's, as long as it waits for that to introduce itself.
TEST(Recover, TwoMayDieBeforeTheyAreKnown) {
  Tally sum;
  for (std::uint64_t first = 0; first < 12; ++first)
    for (std::uint64_t second = first; second < 12; ++second)
      for (const bool sender : {false, true}) {
        SCOPED_TRACE(std::to_string(first) + ", " + std::to_string(second));
        sum.add(test::run_dying(test::dying_grid_of(3),
                                {{first, sender, true}, {second, !sender, true}},
                                [] { EXPECT_EQ(test::fib(6), 8); }));
      }
  SCOPED_TRACE(sum.text());
  EXPECT_EQ(sum.not_made_again, 0U);
  EXPECT_GT(sum.deaths, 100U);
}

// Eleven PEs of very unequal speed, and nobody dies. (Once what the root had left undone was copied
// as fast as it was done.)
TEST(Recover, CopiesAreNotCopiedWithoutEnd) {
  constexpr Nanos soon = 3'000'000'000;
  Random random(29977);
  const RandomGraph graph(random);
  Simulation simulation(random_grid(random, 29977));
  simulation.run([&] { EXPECT_EQ(graph.evaluate(random), graph.plain()); }, soon);
  EXPECT_NO_THROW(simulation.settle(soon));
  std::uint64_t copies = 0;
  for (int pe = 0; pe < simulation.size(); ++pe)
    copies += simulation.pe(pe).statistics()[static_cast<std::size_t>(Count::sparks_backed_up)];
  EXPECT_GT(copies, 10U);
  EXPECT_LT(copies, 1000U);
}

// What the main PE has is enough.
TEST(Recover, AllOthersMayDieAtOnce) {
  Tally sum;
  if (in_graphs_by_hand(&run_deaths_of_all_others, sum)) return;
  SCOPED_TRACE(sum.text());
  EXPECT_EQ(sum.not_made_again, 0U);
  EXPECT_GT(sum.deaths, 5 * graphs);
}

TEST(Recover, TheAnswersAreTheSameWhoeverDies) {
  Tally sum;
  const bool all = std::getenv("TRAWL_TEST_RECOVER_ALL") != nullptr;
  if (in_graphs_by_hand(all ? &run_all_deaths : &run_some_deaths, sum)) return;
  SCOPED_TRACE(sum.text());
  EXPECT_EQ(sum.not_made_again, 0U);
  EXPECT_GT(sum.deaths, 2 * graphs);
  if (graphs < 400) return;
  using test::Cases;
  for (const auto& each : test::case_names) {
    const bool in_few = each.count == &Cases::by_argument || each.count == &Cases::by_thunk ||
                        each.count == &Cases::otherwise || each.count == &Cases::by_copy ||
                        each.count == &Cases::by_recipe || each.count == &Cases::dropped ||
                        each.count == &Cases::handed_back || each.count == &Cases::formerly ||
                        each.count == &Cases::lost || each.count == &Cases::not_there ||
                        each.count == &Cases::reverted;
    EXPECT_TRUE(in_few || sum.cases.*each.count > 0) << each.name;
  }
}

}  // namespace
}  // namespace trawl
