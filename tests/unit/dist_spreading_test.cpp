// Data of skeletons lie on all PEs where these are worth their links, else near.
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "tests/unit/dist_grid.hpp"

namespace {

using trawl::Dist;
using trawl::Nanos;
using trawl::Simulation;
using trawl::detail::Spreading;
using trawl::detail::StepTook;
using namespace trawl::test;

// Half of the strength is near.
constexpr double all = 2;
constexpr double near = 1;

TEST(Spreading, GathersWhereWaitingIsMostOfAStep) {
  const Spreading far;
  EXPECT_TRUE(far.should_gather({1e9, 0.1}, all, near));
  EXPECT_TRUE(far.should_gather({1e9, 0.44}, all, near));
  EXPECT_FALSE(far.should_gather({1e9, 0.46}, all, near)) << "twice that is hardly less";
  EXPECT_FALSE(far.should_gather({1e9, 0.3}, 4, 1));
  EXPECT_FALSE(far.should_spread({1e9, 1}, all, near)) << "it is";
}

TEST(Spreading, ATrialThatFailsIsTheLast) {
  Spreading data;
  data.gather({1e9, 0.1});
  EXPECT_FALSE(data.should_spread({9e9, 1}, all, near)) << "the data were on their way";
  data.keep();
  EXPECT_TRUE(data.should_spread({0.95e9, 1}, all, near));
  data.spread();
  EXPECT_FALSE(data.should_gather({1e9, 0.1}, all, near));
}

TEST(Spreading, ATrialThatDoesNotFailMayEnd) {
  Spreading data;
  data.gather({1e9, 0.1});  // 0.9 s for links
  data.keep();
  EXPECT_FALSE(data.should_spread({0.2e9, 1}, all, near));
  data.keep();
  EXPECT_FALSE(data.should_spread({2e9, 1}, all, near)) << "1.9 s on all";
  EXPECT_TRUE(data.should_spread({3e9, 1}, all, near)) << "2.4 s on all";
  data.spread();
  EXPECT_TRUE(data.should_gather({1e9, 0.1}, all, near)) << "and may become better again";
}

TEST(Spreading, TheSlowestPlaceCounts) {
  const std::vector<double> costs{1, 1, 4};
  const std::vector<std::size_t> owners{0, 0, 1};
  const std::vector<double> workers{1, 2, 1};
  using trawl::detail::busy_share;
  EXPECT_EQ(busy_share(costs, owners, workers, 0, 0.2), 0.2);
  EXPECT_EQ(busy_share(std::vector<double>{1, 1, 8}, owners, workers, 0, 0.2), 0.4);
  EXPECT_EQ(busy_share(costs, owners, workers, 0, 0.9), 0.9);
  EXPECT_EQ(busy_share(costs, owners, workers, 2, 0.1), 1) << "who has nothing knows nothing";
}

// ---- on a grid of two clusters, 10 ms apart

long working(const trawl::Around<long>& around, Nanos work) {
  trawl::work(work);
  return (around[-1] + around[0] + around[1]) % 1'000'003;
}
Dist<long> step(const Dist<long>& d, Nanos work) {
  return trawl::stencil<working>(d, work);
}
/// Of one work first, then of another.
Dist<long> step_by_step(const Dist<long>& d, Nanos first, Nanos then) {
  return trawl::iterate<step>(trawl::iterate<step>(d, 10, first), 10, then);
}

struct Lies {
  std::size_t places = 0;
  long sum = 0;
  double seconds = 0;
};

Lies run_steps(Nanos first, Nanos then, const std::string& grid) {
  Simulation::Config config;
  config.net.grid = trawl::fabric::parse_grid(grid, "here");
  Simulation simulation(config);
  Lies lies;
  simulation.run([&] {
    const auto d = step_by_step(trawl::generate<index_of>(640), first, then);
    std::set<std::string> places;
    for (const auto& held : trawl::holdings(d)) lies.places += held.count != 0;
    for (const long x : d) lies.sum += x;
    lies.seconds = static_cast<double>(Simulation::clock_here()) * 1e-9;
  });
  EXPECT_EQ(simulation.finish(0).code, 0);
  return lies;
}

constexpr auto two_sites = R"({"clusters": [{"name": "a", "pes": 3}, {"name": "b", "pes": 3}],
                               "between": {"latency": "10 ms", "bandwidth": "10 MB/s"}})";
constexpr auto one_site = R"({"clusters": [{"name": "a", "pes": 6}]})";
constexpr Nanos little = 1'000;
constexpr Nanos much = 10'000'000;

TEST(DistSpreading, LittleWorkIsDoneNear) {
  const auto lies = run_steps(little, little, two_sites);
  EXPECT_EQ(lies.places, 3U);
  EXPECT_EQ(lies.sum, run_steps(little, little, one_site).sum);
  EXPECT_LT(lies.seconds, 0.4) << "20 steps of 30 ms and more";
}

TEST(DistSpreading, MuchWorkIsDoneEverywhere) {
  const auto lies = run_steps(much, much, two_sites);
  EXPECT_EQ(lies.places, 6U);
  EXPECT_EQ(lies.sum, run_steps(little, little, one_site).sum);
  EXPECT_LT(lies.seconds, 1.2 * 20 * 640 * 0.01 / 6);
}

TEST(DistSpreading, WhereWorkGrowsItSpreadsAgain) {
  const auto lies = run_steps(little, much, two_sites);
  EXPECT_EQ(lies.places, 6U);
  EXPECT_EQ(lies.sum, run_steps(little, little, one_site).sum);
  EXPECT_EQ(run_steps(much, little, two_sites).places, 3U);
}

TEST(DistSpreading, WhatHasNoRoomNearStaysSpread) {
  Simulation::Config config;
  config.net.grid = trawl::fabric::parse_grid(two_sites, "here");
  config.heap_bound.assign(6, 5'000);  // 4 of them are three times the data of a sixth
  Simulation simulation(config);
  simulation.run([&] {
    const auto d = step_by_step(trawl::generate<index_of>(640), little, little);
    EXPECT_GT(trawl::holdings(d).size(), 3U);
  });
}

}  // namespace
