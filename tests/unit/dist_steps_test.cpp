// Skeletons for steps: stencil, iterate, balance; and map_reduce.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/dist_grid.hpp"

namespace {

using trawl::Around;
using trawl::Dist;
using trawl::Edge;
using trawl::Halo;
using trawl::Simulation;
using namespace trawl::test;

class DistSteps : public Skeletons {};

double value(std::size_t i, std::uint64_t seed) {
  return static_cast<double>((i * i * 31 + seed) % 101);
}
double mean(const Around<double>& around) {
  return (around[-1] + 2 * around[0] + around[1]) / 4;
}
double far(const Around<double>& around, double by) {
  return by * (around[-3] - around[3]) + around[0];
}
constexpr auto sizes = {0U, 1U, 2U, 5U, 64U, 65U, 500U, 2000U};

// By hand: what `around` shows at a place.
template <Edge edge>
double seen(const std::vector<double>& all, std::ptrdiff_t at) {
  const auto n = static_cast<std::ptrdiff_t>(all.size());
  if (edge == Edge::wrapped) at = (at % n + n) % n;
  if (edge == Edge::nothing && (at < 0 || at >= n)) return 0;
  return all[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(at, 0, n - 1))];
}

template <Edge edge>
void expect_stencils(std::size_t n) {
  const auto d = trawl::generate<value>(n, std::uint64_t{n});
  std::vector<double> all;
  for (std::size_t i = 0; i < n; ++i) all.push_back(value(i, n));
  std::vector<double> near_by;
  std::vector<double> far_away;
  for (std::ptrdiff_t i = 0; i < static_cast<std::ptrdiff_t>(n); ++i) {
    near_by.push_back((seen<edge>(all, i - 1) + 2 * seen<edge>(all, i) + seen<edge>(all, i + 1)) /
                      4);
    far_away.push_back(0.5 * (seen<edge>(all, i - 3) - seen<edge>(all, i + 3)) +
                       seen<edge>(all, i));
  }
  EXPECT_EQ(trawl::collect(trawl::stencil<mean, Halo{1, edge}>(d)), near_by) << n;
  EXPECT_EQ(trawl::collect(trawl::stencil<far, Halo{3, edge}>(d, 0.5)), far_away) << n;
}

TEST_P(DistSteps, StencilsSeeTheirNeighbours) {
  for (const std::size_t n : sizes) {
    run([n] { expect_stencils<Edge::repeated>(n); });
    run([n] { expect_stencils<Edge::wrapped>(n); });
    run([n] { expect_stencils<Edge::nothing>(n); });
  }
}

using Row = std::vector<double>;

Row row(std::size_t i, std::size_t width) {
  Row all;
  for (std::size_t j = 0; j < width; ++j) all.push_back(value(i * width + j, 3));
  return all;
}
Row heat(const Around<Row>& around) {
  Row next = around[0];
  for (std::size_t j = 1; j + 1 < next.size(); ++j)
    next[j] = (around[-1][j] + around[1][j] + around[0][j - 1] + around[0][j + 1]) / 4;
  return next;
}
Dist<Row> heat_step(const Dist<Row>& d) {
  return trawl::stencil<heat>(d);
}

TEST_P(DistSteps, HeatInTwoDimensions) {
  run([] {
    std::vector<Row> rows;
    for (std::size_t i = 0; i < 100; ++i) rows.push_back(row(i, 30));
    for (int step = 0; step < 10; ++step) {
      auto next = rows;
      for (std::size_t i = 0; i < 100; ++i)
        for (std::size_t j = 1; j + 1 < 30; ++j)
          next[i][j] = (rows[i == 0 ? 0 : i - 1][j] + rows[std::min<std::size_t>(i + 1, 99)][j] +
                        rows[i][j - 1] + rows[i][j + 1]) /
                       4;
      rows = next;
    }
    const auto d = trawl::generate<row>(100, std::size_t{30});
    EXPECT_EQ(trawl::collect(trawl::iterate<heat_step>(d, 10)), rows);
  });
}

// Its first elements take far longer.
long uneven(long x) {
  Simulation::work(x < 100 ? 1'000'000 : 20'000);
  return x;
}
Dist<long> uneven_step(const Dist<long>& d) {
  return trawl::map<uneven>(d);
}

TEST_P(DistSteps, WhatTakesLongerGoesToMorePlaces) {
  std::vector<long> expected(1000);
  std::iota(expected.begin(), expected.end(), 0L);
  std::array<trawl::Nanos, 2> took{};
  for (const bool balanced : {false, true})
    run([&] {
      auto d = trawl::generate<index_of>(1000);
      const auto begun = Simulation::clock_here();
      if (balanced)
        d = trawl::iterate<uneven_step>(d, 10);
      else
        for (int i = 0; i < 10; ++i) d = uneven_step(d);
      EXPECT_EQ(d.size(), 1000U);
      took[balanced ? 1 : 0] = Simulation::clock_here() - begun;
      EXPECT_EQ(trawl::collect(d), expected);
    });
  if (GetParam() > 1) {
    EXPECT_LT(static_cast<double>(took[1]), 0.8 * static_cast<double>(took[0]));
  } else {
    EXPECT_EQ(took[0], took[1]);
  }
}

long even(long x) {
  Simulation::work(100'000);
  return x;
}

// Nobody has said that it is slow; by what it got through that shows.
TEST_P(DistSteps, ASlowPlaceGetsLess) {
  using trawl::detail::Measured;
  Measured last;
  for (std::size_t i = 0; i < 64; ++i) {
    last.owners.push_back(i / 16);
    last.loads.push_back(1);
    last.costs.push_back(i / 16 == 1 ? 4000 : 1000);
  }
  last.strengths = {1, 1, 1, 1};
  last.workers = {1, 1, 1, 1};
  last.rooms.assign(4, 1e18);
  last.clusters = {0, 0, 0, 0};
  const auto factors = trawl::detail::factors(last);
  const std::vector<double> bytes(64, 8);
  const auto way = [](std::size_t, std::size_t) { return trawl::sched::Way(); };
  const auto plan = trawl::detail::rebalanced(last, bytes, factors, 10, way);
  EXPECT_TRUE(plan.pays);
  const auto& owners = plan.owners;
  EXPECT_EQ(std::count(owners.begin(), owners.end(), 1U), 5);
  EXPECT_TRUE(std::is_sorted(owners.begin(), owners.end()));
  run([this] {
    auto d = trawl::map<even>(trawl::generate<index_of>(640));
    d = trawl::rebalance(d, 10, trawl::by_count);
    std::set<std::size_t> places;
    for (std::size_t i = 0; i < d.shards(); ++i)
      for (std::size_t p = 0; p < trawl::places().size(); ++p)
        if (d.place(i) == trawl::places()[p]) places.insert(p);
    EXPECT_EQ(static_cast<int>(places.size()), GetParam());
    EXPECT_EQ(d.size(), 640U);
  });
}

std::string line(std::size_t i) {
  std::string text;
  for (std::size_t j = 0; j < i % 7; ++j) text += "word" + std::to_string(i * j % 13) + " ";
  return text;
}
std::vector<std::pair<std::string, long>> words(const std::string& text) {
  std::vector<std::pair<std::string, long>> all;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find(' ', begin)) != std::string::npos; begin = end + 1)
    all.emplace_back(text.substr(begin, end - begin), 1);
  return all;
}
long add(long a, long b) {
  return a + b;
}

TEST_P(DistSteps, CountsWords) {
  for (const std::size_t n : sizes)
    run([&] {
      std::map<std::string, long> expected;
      for (std::size_t i = 0; i < n; ++i)
        for (const auto& [word, count] : words(line(i))) expected[word] += count;
      const auto counts = trawl::map_reduce<words, add>(trawl::generate<line>(n));
      const auto all = trawl::collect(counts);
      EXPECT_EQ(all.size(), expected.size());
      EXPECT_EQ((std::map<std::string, long>(all.begin(), all.end())), expected);
    });
}

std::vector<std::pair<long, long>> by_64(long i) {
  return {{64 * i, 1}};
}

// std::hash of a number is the number.
TEST_P(DistSteps, KeysInStepsSpreadOverShards) {
  run([] {
    const auto counts = trawl::map_reduce<by_64, add>(trawl::generate<index_of>(6400));
    std::size_t most = 0;
    for (const auto& group : counts.parts().made)
      for (const auto& shape : trawl::force(group).shapes)
        most = std::max(most, static_cast<std::size_t>(shape.count));
    EXPECT_LT(most, 200U);
  });
}

std::vector<std::pair<double, long>> some_no_number(long i) {
  const auto key =
      i % 3 == 0 ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(i % 97);
  return {{key, 1}};
}

// A NaN is neither less than a number nor equal to it.
TEST_P(DistSteps, AKeyThatIsNoNumberHasItsOwnValue) {
  run([] {
    long of_none = 0;
    std::map<double, long> counts;
    for (const auto& [key, count] :
         trawl::map_reduce<some_no_number, add>(trawl::generate<index_of>(9700))) {
      if (std::isnan(key))
        of_none += count;
      else
        EXPECT_TRUE(counts.try_emplace(key, count).second) << key;
    }
    EXPECT_EQ(of_none, 3234);
    std::map<double, long> expected;
    for (long i = 0; i < 9700; ++i)
      if (i % 3 != 0) ++expected[static_cast<double>(i % 97)];
    EXPECT_EQ(counts, expected);
  });
}

std::vector<std::pair<double, std::string>> places_of_none(long i) {
  std::vector<std::pair<double, std::string>> pairs;
  for (int n = 0; i % 3 == 0 && n < 2; ++n)
    pairs.emplace_back(std::numeric_limits<double>::quiet_NaN(), std::to_string(i) + ",");
  return pairs;
}
std::string appended(const std::string& a, const std::string& b) {
  return a + b;
}

TEST_P(DistSteps, ItsValuesComeInTheOrderOfTheElementsToo) {
  run([] {
    const auto all =
        trawl::collect(trawl::map_reduce<places_of_none, appended>(trawl::generate<index_of>(99)));
    std::string expected;
    for (int i = 0; i < 99; i += 3) expected += std::to_string(i) + "," + std::to_string(i) + ",";
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all.front().second, expected);
  });
}

TEST_P(DistSteps, StepsAreNotNegative) {
  run([] {
    const auto d = trawl::generate<index_of>(10);
    EXPECT_THROW(trawl::iterate<uneven_step>(d, -1), trawl::Error);
    EXPECT_EQ(trawl::collect(trawl::iterate<uneven_step>(d, 0)), trawl::collect(d));
  });
}

struct Making {
  int now = 0;
  int most = 0;
};
std::array<Making, 8> making{};  // by PE

long after_a_while(long x) {
  Simulation::work(20'000'000);
  return x;
}
std::vector<double> slowly(const std::vector<double>& shard, long) {
  auto& here = making.at(static_cast<std::size_t>(trawl::sched::pe_here()));
  here.most = std::max(here.most, ++here.now);
  Simulation::work(50'000'000);
  --here.now;
  return shard;
}

// They all wait for the same value. Once it has come no spare worker begins with the others while
// the worker is inside of one of them; but where the root is, and goes through them itself, one
// does.
TEST_P(DistSteps, ShardsOfASkeletonTakeTurns) {
  making = {};
  run([] {
    const auto d = trawl::generate<value>(64, std::uint64_t{1});
    const auto late = trawl::map_shards<slowly>(d, trawl::lazy<after_a_while>(1L));
    EXPECT_EQ(late.size(), 64U);
  });
  EXPECT_LE(making[0].most, 2);
  for (int pe = 1; pe < GetParam(); ++pe)
    EXPECT_EQ(making.at(static_cast<std::size_t>(pe)).most, 1);
}

INSTANTIATE_TEST_SUITE_P(Pes, DistSteps, testing::ValuesIn(grids));

TEST(Shares, AreContiguousAndAsStrengths) {
  const std::vector<double> costs(64, 2);
  EXPECT_EQ(trawl::detail::cut(costs, std::vector<double>{1}), std::vector<std::size_t>(64, 0));
  const auto owners = trawl::detail::cut(costs, std::vector<double>{1, 3});
  EXPECT_EQ(std::count(owners.begin(), owners.end(), 0U), 16);
  EXPECT_TRUE(std::is_sorted(owners.begin(), owners.end()));
  const std::vector<double> nothing(5, 0);
  EXPECT_EQ(trawl::detail::cut(nothing, std::vector<double>{1, 1}).size(), 5U);
}

TEST(Shares, NumberOfShardsDependsOnTheDataAlone) {
  using trawl::detail::shard_begin;
  using trawl::detail::shard_count;
  EXPECT_EQ(shard_count(0), 1U);
  EXPECT_EQ(shard_count(5), 5U);
  EXPECT_EQ(shard_count(1000), 64U);
  EXPECT_EQ(shard_count(std::uint64_t{1} << 40U), 4096U);
  constexpr std::uint64_t large = (std::uint64_t{1} << 33U) + 5;
  EXPECT_EQ(shard_begin(large, 4096, 4096), large);
  EXPECT_EQ(shard_begin(large, 4096, 1), (large / 4096) + 1);
}

}  // namespace
