// PEs leave in the middle of runs: the answers stay the same, and what they had is not run again.
//
// Everything follows from a seed. To repeat one: TRAWL_TEST_LEAVING_SEED=n, or some: n-m.
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "rts/life/departures.hpp"
#include "tests/unit/dying_grid.hpp"
#include "tests/unit/random_graph.hpp"
#include "tests/unit/random_grid.hpp"

namespace trawl {
namespace {

using test::below;
using test::Death;
using test::fib;
using test::graphs;
using test::Random;
using test::RandomGraph;
using test::Tally;

long slow(long n) {
  Simulation::work(50'000'000);
  return n;
}

long square(long n) {
  Simulation::work(200'000);
  return n * n;
}

long sum_of_squares(long n) {
  std::vector<Lazy<long>> all;
  for (long i = 1; i <= n; ++i) all.push_back(par(lazy<square>(i)));
  long sum = 0;
  for (const auto& each : all) sum += force(each);
  return sum;
}

// Each PE that sends or is to get a message leaves then; in every run there is still time for it.
Tally leave_at_each_message(const Simulation::Config& config, const std::function<void()>& root) {
  Tally sum;
  const auto messages = test::run_dying(config, {}, root).messages;
  for (std::uint64_t i = 0; i < 2 * messages && !testing::Test::HasFailure(); ++i) {
    SCOPED_TRACE("message " + std::to_string(i / 2) + ", " + std::to_string(i % 2));
    sum.add(test::run_dying(config, {{i / 2, i % 2 == 0, true, true}}, root));
  }
  return sum;
}

TEST(Leaving, PlainSparksAreNotRunAgain) {
  for (const bool reorder : {false, true}) {
    auto config = test::dying_grid_of(4);
    config.net.reorder = reorder;
    config.net.jitter = reorder ? 30'000 : 0;
    const auto sum = leave_at_each_message(config, [] { EXPECT_EQ(sum_of_squares(40), 22140); });
    SCOPED_TRACE(sum.text());
    EXPECT_GT(2 * sum.left, sum.told_to_leave);
    EXPECT_GT(sum.cases.handed_back, 0U);
    EXPECT_EQ(sum.revived, 0U);
  }
}

TEST(Leaving, NorAreSpawnedCalls) {
  const auto sum = leave_at_each_message(test::dying_grid_of(4), [] { EXPECT_EQ(fib(9), 34); });
  SCOPED_TRACE(sum.text());
  EXPECT_GT(2 * sum.left, sum.told_to_leave);
  EXPECT_EQ(sum.revived, 0U);
}

// At last the main PE is alone.
TEST(Leaving, AllMayLeave) {
  const auto config = test::dying_grid_of(5);
  const auto root = [] { EXPECT_EQ(fib(10), 55); };
  const auto messages = test::run_dying(config, {}, root).messages;
  std::vector<Death> all;
  for (std::uint64_t i = messages / 4; i < messages; ++i) all.push_back({i, true, true, true});
  const auto sum = test::run_dying(config, all, root);
  SCOPED_TRACE(sum.text());
  EXPECT_EQ(sum.left, 4U);
  EXPECT_EQ(sum.not_made_again, 0U);
}

// Its thread takes longer than it has: others run it again.
TEST(Leaving, InAHurry) {
  auto config = test::dying_grid_of(2);
  config.options.grace = 1e-3;
  Simulation simulation(config);
  simulation.run([&] {
    const auto there = par(lazy<slow>(7));
    Simulation::work(1'000'000);
    simulation.pe(1).leave();
    const auto begun = Simulation::clock_here();
    while (!simulation.pe(0).life().is_gone(1)) Simulation::work(100'000);
    const auto took = Simulation::clock_here() - begun;
    EXPECT_GT(took, 1'000'000);
    EXPECT_LT(took, 30'000'000);  // its progress thread finds out when it looks next
    EXPECT_EQ(force(there), 7);
  });
  const auto outcome = simulation.finish(0);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ((*outcome.statistics[0])[static_cast<std::size_t>(Count::thunks_revived)], 1U);
}

// Though nothing else is sent there any more.
TEST(Leaving, WhoHasLeftIsToldAtOnce) {
  Simulation simulation(test::dying_grid_of(3));
  simulation.run([&] {
    EXPECT_EQ(fib(8), 21);
    simulation.pe(1).leave();
    while (!simulation.pe(0).life().is_gone(1)) Simulation::work(10'000);
    Simulation::work(10'000'000);
    EXPECT_TRUE(simulation.has_ended(1));
  });
  EXPECT_EQ(simulation.finish(0).code, 0);
}

TEST(Leaving, TheMainPeSendsAnotherAway) {
  Simulation simulation(test::dying_grid_of(3));
  simulation.run([&] {
    EXPECT_EQ(fib(7), 13);
    for (const int pe : {2, 7, -1, 2}) simulation.pe(0).send_away(pe);
    EXPECT_EQ(fib(9), 34);
    EXPECT_TRUE(simulation.pe(0).life().is_gone(2));
    EXPECT_FALSE(simulation.pe(0).life().is_gone(1));
  });
  const auto outcome = simulation.finish(0);
  for (int pe = 0; pe < 3; ++pe) EXPECT_TRUE(outcome.statistics[static_cast<std::size_t>(pe)]);
}

Tally run(std::uint64_t seed, const std::vector<Death>& deaths) {
  Random random(seed);
  const RandomGraph graph(random);
  auto config = test::random_grid(random, seed);
  return run_dying(config, deaths, [&] { EXPECT_EQ(graph.evaluate(random), graph.plain()); });
}

// One leaves; two do; one leaves while another dies.
TEST(Leaving, TheAnswersAreTheSame) {
  Tally sum;
  Tally one_leaves;
  const auto [from, to] = test::seeds("TRAWL_TEST_LEAVING_SEED", graphs);
  for (auto seed = from; seed < to && !HasFailure(); ++seed) {
    SCOPED_TRACE("TRAWL_TEST_LEAVING_SEED=" + std::to_string(seed));
    const auto messages = run(seed, {}).messages;
    Random random(seed);
    for (std::uint64_t turn = 0; messages > 0 && turn < 6 && !HasFailure(); ++turn) {
      SCOPED_TRACE("turn " + std::to_string(turn));
      const auto first = below(random, messages);
      std::vector<Death> events{{first, turn % 2 == 0, true, true}};
      const auto then = first + below(random, messages - first);
      if (turn % 3 != 0) events.push_back({then, below(random, 2) == 0, true, turn % 3 == 1});
      const auto tally = run(seed, events);
      sum.add(tally);
      if (events.size() == 1) one_leaves.add(tally);
    }
  }
  RecordProperty("cases", sum.text());
  if (std::getenv("TRAWL_TEST_LEAVING_SEED") != nullptr) std::printf("%s\n", sum.text().c_str());
  SCOPED_TRACE(sum.text());
  EXPECT_EQ(sum.not_made_again, 0U);
  EXPECT_EQ(one_leaves.revived, 0U) << one_leaves.text();
  EXPECT_EQ(one_leaves.cases.by_value, 0U);
  if (std::getenv("TRAWL_TEST_LEAVING_SEED") == nullptr) {
    EXPECT_GT(sum.left, graphs / 2);
    EXPECT_GT(sum.cases.handed_back, 0U);
  }
}

TEST(Departures, WaitForAllWhoMayHaveSomethingThere) {
  life::Departures departures;
  departures.begin(3, {0, 1, 2});
  departures.settled(1, 3);
  departures.may_go(3, false, 0);
  EXPECT_EQ(departures.next(), nullptr);
  departures.joined(1);
  departures.joined(4);
  departures.settled(0, 3);
  departures.gone(2);
  departures.settled(1, 3);
  EXPECT_EQ(departures.next(), nullptr);
  departures.settled(4, 3);
  ASSERT_NE(departures.next(), nullptr);
  EXPECT_EQ(departures.next()->pe, 3);
  departures.gone(3);
  EXPECT_FALSE(departures.begun(3));
  departures.begin(1, {0});
  departures.may_go(1, true, 2);
  departures.joined(4);
  ASSERT_NE(departures.next(), nullptr);
  EXPECT_EQ(departures.next()->threads, 2U);
}

}  // namespace
}  // namespace trawl
