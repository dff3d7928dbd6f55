// Loops inside one PE.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <trawl/here.hpp>

#include "tests/unit/dist_grid.hpp"
#include "tests/unit/team.hpp"

namespace {

using trawl::Simulation;
using namespace trawl::test;
namespace here = trawl::here;

long twice_of(long x) {
  return 2 * x;
}

void expect_plain_loops() {
  for (const std::size_t n : {0U, 1U, 2U, 255U, 256U, 257U, 10000U}) {
    std::vector<int> seen(n);
    here::for_each(n, [&](std::size_t i) { ++seen[i]; });
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<std::ptrdiff_t>(n));

    const auto name = [](std::size_t i) { return std::to_string(i) + " "; };
    std::string expected = ">";
    for (std::size_t i = 0; i < n; ++i) expected += name(i);
    EXPECT_EQ(here::reduce(n, std::string(">"), name, std::plus<>()), expected);

    std::mt19937_64 random(n);
    std::vector<std::pair<int, int>> xs;
    for (std::size_t i = 0; i < 5 * n; ++i)
      xs.emplace_back(static_cast<int>(random() % 100), static_cast<int>(i));
    auto sorted = xs;
    const auto less = [](const auto& a, const auto& b) { return a.first < b.first; };
    std::stable_sort(sorted.begin(), sorted.end(), less);
    here::sort(xs, less);
    EXPECT_EQ(xs, sorted);
  }
  std::atomic<int> begun{0};
  try {
    here::for_each(10000, [&](std::size_t i) {
      ++begun;
      if (i % 1000 == 77) throw std::runtime_error(std::to_string(i));
    });
    ADD_FAILURE();
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "77");
  }
  EXPECT_LT(begun, 10000);
}

void expect_loops() {
  expect_plain_loops();
  // The body may force.
  std::atomic<long> sum{0};
  here::for_each(100, [&](std::size_t i) {
    sum += trawl::force(trawl::par(trawl::lazy<twice_of>(static_cast<long>(i))));
  });
  EXPECT_EQ(sum, 9900);
}

class Here : public Skeletons {};

TEST_P(Here, LoopsOnSimulatedPes) {
  run([] { expect_loops(); });
  run(two_workers(), [] { expect_loops(); });
}

TEST_P(Here, TwoWorkersTakeHalfTheTime) {
  trawl::Nanos alone = 0;
  trawl::Nanos both = 0;
  const auto loop = [] {
    const auto begun = Simulation::clock_here();
    here::for_each(1000, [](std::size_t) { Simulation::work(100'000); });
    return Simulation::clock_here() - begun;
  };
  run([&] { alone = loop(); });
  run(two_workers(), [&] { both = loop(); });
  EXPECT_NEAR(static_cast<double>(alone) / static_cast<double>(both), 2, 0.1);
}

// Nothing in it asks for a value: a helper's turn comes all the same.
TEST_P(Here, MeasuredWorkIsShared) {
  auto config = two_workers();
  config.measure = true;
  run(std::move(config), [] {
    std::vector<double> sums(64);
    const auto begin = trawl::now();
    const auto used = trawl::sched::used_here();
    here::for_each(sums.size(), [&](std::size_t i) {
      for (int k = 1; k < 200'000; ++k) sums[i] += 1.0 / k;
    });
    const auto took = static_cast<double>(trawl::now() - begin);
    EXPECT_LT(took, 0.75 * static_cast<double>(trawl::sched::used_here() - used));
    EXPECT_EQ(std::count(sums.begin(), sums.end(), sums.front()), 64);
  });
}

std::vector<long> squares_of(const std::vector<long>& shard) {
  std::vector<long> all(shard.size());
  here::for_each(shard.size(), [&](std::size_t i) { all[i] = shard[i] * shard[i]; });
  return all;
}
long index_of(std::size_t i) {
  return static_cast<long>(i);
}

TEST_P(Here, InASkeleton) {
  run(two_workers(), [] {
    const auto all = trawl::collect(trawl::map_shards<squares_of>(trawl::generate<index_of>(1000)));
    for (std::size_t i = 0; i < 1000; ++i) EXPECT_EQ(all[i], static_cast<long>(i * i));
  });
}

INSTANTIATE_TEST_SUITE_P(Pes, Here, testing::ValuesIn(grids));

TEST(HereTeam, LoopsOnRealWorkers) {
  for (const int workers : {1, 2, 4}) {
    Team team(workers);
    team.run([] {
      for (int i = 0; i < 10; ++i) expect_loops();
    });
  }
}

// Numbers by their bits, whatever they are; by an order that is none all the same elements.
TEST(HereTeam, WhatIsNoNumberIsSortedToo) {
  for (const std::size_t n : {100U, 30'000U, 300'000U}) {
    std::vector<double> xs(n);
    for (std::size_t i = 0; i < n; ++i)
      xs[i] = i % 3 == 0 ? std::numeric_limits<double>::quiet_NaN()
                         : static_cast<double>(i * 7919 % 10'007);
    auto by_order = xs;
    here::sort(xs);
    const auto numbers = static_cast<std::ptrdiff_t>(n - (n + 2) / 3);
    EXPECT_TRUE(std::is_sorted(xs.begin(), xs.begin() + numbers));
    EXPECT_TRUE(std::all_of(xs.begin() + numbers, xs.end(), [](double x) { return x != x; }));
    here::sort(by_order, [](double a, double b) { return a < b; });
    EXPECT_EQ(std::count_if(by_order.begin(), by_order.end(), [](double x) { return x == x; }),
              numbers);
    here::sort(by_order, [](double a, double b) { return !(b < a); });
    EXPECT_EQ(std::count_if(by_order.begin(), by_order.end(), [](double x) { return x == x; }),
              numbers);
  }
}

TEST(HereTeam, OutsideOfARunTheCallerDoesAll) {
  expect_plain_loops();
}

}  // namespace
