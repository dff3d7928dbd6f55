// Replaying: every task is evaluated with its arguments and results, on any number of PEs, and not
// faster than can be.
#include "profiles/replay/replay.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "profiles/replay/bound.hpp"
#include "profiles/replay/generate.hpp"
#include "rts/simulate.hpp"
#include "tests/unit/random_recording.hpp"

namespace {

using replay::Nanos;
using replay::Placing;
using replay::Step;
using trawl::Simulation;
using trawl::test::random_graph;

class Replay : public testing::TestWithParam<int> {
 protected:
  static std::uint64_t simulated(std::uint64_t (*program)()) {
    Simulation::Config config;
    config.net.pes = GetParam();
    Simulation simulation(config);
    std::uint64_t sum = 0;
    simulation.run([&] { sum = program(); });
    simulation.settle();
    time_ = simulation.now();
    return sum;
  }

  static inline Nanos time_;
};

TEST_P(Replay, EveryTaskIsEvaluated) {
  int with_passed = 0;
  int with_shared = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    auto graph = random_graph(seed, 100);
    with_passed += !graph.passed.empty();
    with_shared += graph.sets.size() > 4 && graph.makes.size() > 1;
    replay::set_graph(std::move(graph), {});
    EXPECT_EQ(simulated(replay::replay_graph), replay::expected_sum()) << "seed " << seed;
  }
  EXPECT_GT(with_passed, 10);
  EXPECT_GT(with_shared, 10);
}

TEST_P(Replay, WhatIsPlacedIsUsedWhereItLies) {
  int with_uses = 0;
  int in_groups = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    auto graph = random_graph(seed, 200, 100'000, true);
    with_uses += std::ranges::any_of(graph.ops, [](auto op) { return op.step() == Step::use; });
    in_groups += std::ranges::any_of(
        graph.tasks, [](const auto& task) { return task.placing == Placing::in_group; });
    replay::set_graph(std::move(graph), {});
    EXPECT_EQ(simulated(replay::replay_graph), replay::expected_sum()) << "seed " << seed;
  }
  EXPECT_GT(with_uses, 20);
  EXPECT_GT(in_groups, 20);
}

TEST_P(Replay, WorkAndBytesAreScaled) {
  const auto graph = random_graph(3, 300);
  replay::set_graph(graph, {0.5, 3});
  EXPECT_EQ(simulated(replay::replay_graph), replay::expected_sum());
  const auto work = totals(graph).work;
  if (GetParam() == 1) {
    EXPECT_GE(time_, work / 2);
    EXPECT_LE(time_, work / 2 + work / 10);
  }
  const auto sum = replay::expected_sum();
  replay::set_graph(graph, {});
  EXPECT_NE(replay::expected_sum(), sum);  // other bytes are another sum
}

TEST_P(Replay, GeneratedTrees) {
  using replay::Tree;
  const std::vector<replay::Shape> shapes{
      {.tree = Tree::flat, .children = 3000, .work = 1000},
      {.tree = Tree::divide, .depth = 8, .children = 2, .work = 20'000, .spread = 0.9},
      {.tree = Tree::geometric, .depth = 5, .children = 4, .work = 5000, .seed = 7},
      {.tree = Tree::binomial,
       .children = 8,
       .roots = 50,
       .probability = 0.1,
       .work = 5000,
       .spread = 0.5}};
  for (const auto& shape : shapes) {
    const auto expected = replay::measure(shape);
    replay::set_shape(shape);
    EXPECT_EQ(simulated(replay::grow), expected.sum);
    if (GetParam() == 1) {
      EXPECT_GE(time_, expected.totals.work);
    }
    const std::vector<double> speeds(static_cast<std::size_t>(GetParam()), 1.0);
    EXPECT_GE(static_cast<double>(time_) * 1e-9,
              bound(expected.totals, replay::reach_of(speeds)).seconds());
  }
}

INSTANTIATE_TEST_SUITE_P(Pes, Replay, testing::Values(1, 2, 4));

}  // namespace
