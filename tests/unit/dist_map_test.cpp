// Distributed data: made, mapped and read back, on any number of PEs.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/unit/dist_grid.hpp"

namespace {

using trawl::Dist;
using trawl::Lazy;
using trawl::Simulation;
using namespace trawl::test;

// What this file's tests see is another class for ctest.
class DistMap : public Skeletons {};

long square(std::size_t i) {
  return static_cast<long>(i * i);
}
double scaled(long x, double by) {
  return static_cast<double>(x) * by;
}
std::string text(std::size_t i) {
  return std::string(i % 50, 'x');
}
std::vector<long> squares(std::size_t n) {
  std::vector<long> all;
  for (std::size_t i = 0; i < n; ++i) all.push_back(square(i));
  return all;
}
constexpr auto sizes = {0U, 1U, 2U, 3U, 63U, 64U, 65U, 1000U};

TEST_P(DistMap, IsReadBackInOrder) {
  for (const std::size_t n : sizes)
    run([&] {
      const auto d = trawl::generate<square>(n);
      EXPECT_EQ(d.size(), n);
      EXPECT_EQ(d.empty(), n == 0);
      EXPECT_EQ(trawl::collect(d), squares(n));
    });
}

TEST_P(DistMap, OfElementsThatOwnMemory) {
  run([] {
    const auto d = trawl::generate<text>(500);
    std::size_t i = 0;
    for (const auto& x : d) EXPECT_EQ(x, text(i++));
    EXPECT_EQ(i, 500U);
  });
}

TEST_P(DistMap, AnIteratorKeepsWhatItGoesThrough) {
  run([] {
    std::vector<long> all;
    for (auto it = trawl::generate<square>(500).begin(); it != std::default_sentinel; ++it)
      all.push_back(*it);
    EXPECT_EQ(all, squares(500));
  });
}

TEST_P(DistMap, ByElement) {
  for (const std::size_t n : sizes)
    run([&] {
      const auto d = trawl::generate<square>(n);
      const auto more = trawl::map<plus>(d, 5L);
      const auto most = trawl::map<scaled>(more, trawl::lazy([] { return 0.5; }));
      auto expected = squares(n);
      for (auto& x : expected) x += 5;
      EXPECT_EQ(trawl::collect(more), expected);
      std::vector<double> halves(expected.begin(), expected.end());
      for (auto& x : halves) x /= 2;
      EXPECT_EQ(trawl::collect(most), halves);
    });
}

TEST_P(DistMap, WithAnotherDist) {
  run([] {
    const auto d = trawl::generate<square>(777);
    const auto sum = trawl::map<plus>(d, trawl::map<plus>(d, 1L));
    auto expected = squares(777);
    for (auto& x : expected) x += x + 1;
    EXPECT_EQ(trawl::collect(sum), expected);
    EXPECT_THROW(trawl::map<plus>(d, trawl::generate<square>(7)), trawl::Error);
  });
}

long at(std::size_t i, const std::vector<long>& table) {
  return table[i];
}

TEST_P(DistMap, AnArgumentOfSomeSizeGoesOnceToEachPe) {
  run([] {
    const auto table = squares(3000);
    EXPECT_EQ(trawl::collect(trawl::generate<at>(3000, table)), table);
  });
  if (alone()) return;
  EXPECT_LT(count(0, trawl::Count::packet_bytes),
            2 * 3000 * sizeof(long) * static_cast<std::size_t>(GetParam() - 1));
}

std::vector<long> odd_ones(const std::vector<long>& shard) {
  std::vector<long> odd;
  std::copy_if(shard.begin(), shard.end(), std::back_inserter(odd), [](long x) { return x % 2; });
  return odd;
}

TEST_P(DistMap, ByShard) {
  for (const std::size_t n : sizes)
    run([&] {
      const auto d = trawl::map_shards<odd_ones>(trawl::generate<square>(n));
      EXPECT_EQ(trawl::collect(d), odd_ones(squares(n)));
      EXPECT_EQ(d.size(), odd_ones(squares(n)).size());
    });
}

int pe_of(std::size_t) {
  Simulation::work(1'000'000);
  return Simulation::here();
}
int pe_too(int, int) {
  Simulation::work(1'000'000);
  return Simulation::here();
}

TEST_P(DistMap, ShardsStayWhereTheyAreMade) {
  run([this] {
    const auto d = trawl::generate<pe_of>(640);
    const auto again = trawl::map<pe_too>(d, 0);
    const auto where = trawl::collect(d);
    EXPECT_TRUE(std::is_sorted(where.begin(), where.end()));
    EXPECT_EQ(std::set<int>(where.begin(), where.end()).size(), GetParam());
    EXPECT_EQ(trawl::collect(again), where);
    EXPECT_EQ(static_cast<int>(d.shards()), 64);
  });
}

TEST_P(DistMap, SharesAreAsSpeeds) {
  auto unequal = config();
  unequal.net.speed = {1, 3, 1, 1, 1, 1, 1, 1};
  run(unequal, [this] {
    const auto where = trawl::collect(trawl::generate<pe_of>(640));
    const auto slow = std::count(where.begin(), where.end(), 0);
    const auto fast = std::count(where.begin(), where.end(), 1);
    if (alone()) return;
    EXPECT_NEAR(static_cast<double>(fast), 3.0 * static_cast<double>(slow), 40);
  });
}

std::vector<double> block(std::size_t) {
  return std::vector<double>(2000, 1.5);
}
std::vector<double> doubled(const std::vector<double>& x) {
  auto y = x;
  for (auto& each : y) each *= 2;
  return y;
}

TEST_P(DistMap, DataDontComeByTheMainPe) {
  static constexpr std::size_t n = 640;
  constexpr auto bytes = n * 2000 * sizeof(double);
  run([] {
    auto d = trawl::generate<block>(n);
    for (int i = 0; i < 5; ++i) d = trawl::map<doubled>(d);
    EXPECT_EQ(d.size(), n);
  });
  std::uint64_t sent = 0;
  for (int pe = 0; pe < GetParam(); ++pe) sent += count(pe, trawl::Count::message_bytes);
  EXPECT_LT(sent, bytes / 20);
}

long fails(std::size_t i, std::size_t at) {
  if (i == at) throw std::out_of_range("too far");
  return 0;
}

std::string with_text(long x, const std::string& text) {
  return text + std::to_string(x);
}

TEST_P(DistMap, AnArgumentMayBeAText) {
  run([] {
    const auto d = trawl::map<with_text>(trawl::generate<fails>(3, std::size_t{9}), "no ");
    EXPECT_EQ(trawl::collect(d), std::vector<std::string>(3, "no 0"));
  });
}

TEST_P(DistMap, AnExceptionNamesItsElement) {
  run([] {
    const auto d = trawl::generate<fails>(640, std::size_t{77});
    const auto later = trawl::map<plus>(d, 1L);
    for (const auto& each : {d, later}) {
      try {
        trawl::collect(each);
        ADD_FAILURE();
      } catch (const trawl::ElementError& e) {
        const std::string what = e.what();
        EXPECT_NE(what.find("generate<"), std::string::npos) << what;
        EXPECT_NE(what.find("fails"), std::string::npos) << what;
        EXPECT_NE(what.find("element 7 of shard 7: too far"), std::string::npos) << what;
      }
    }
    EXPECT_THROW(static_cast<void>(later.size()), trawl::ElementError);
  });
}

TEST_P(DistMap, ALoopThatNobodyWaitsForKeepsPace) {
  run([] {
    auto d = trawl::generate<square>(640);
    for (int i = 0; i < 50; ++i) d = trawl::map<plus>(d, 1L);
    auto expected = squares(640);
    for (auto& x : expected) x += 50;
    EXPECT_EQ(trawl::collect(d), expected);
  });
}

TEST_P(DistMap, WithDelaysAndReordering) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    auto wild = config();
    wild.net.seed = seed;
    wild.net.jitter = 200'000;
    wild.net.reorder = true;
    run(wild, [&] {
      auto d = trawl::generate<square>(200 + seed);
      for (int i = 0; i < 5; ++i) d = trawl::map<plus>(d, d);
      auto expected = squares(200 + seed);
      for (auto& x : expected) x *= 32;
      EXPECT_EQ(trawl::collect(d), expected);
    });
  }
}

Dist<long> made_elsewhere(std::size_t n) {
  return trawl::map<plus>(trawl::generate<square>(n), 1L);
}

TEST_P(DistMap, IsAValueThatTravels) {
  run([] {
    const auto d = trawl::par(trawl::lazy<made_elsewhere>(100U));
    let_others_work_a_while();
    auto expected = squares(100);
    for (auto& x : expected) x += 1;
    EXPECT_EQ(trawl::collect(trawl::force(d)), expected);
  });
}

INSTANTIATE_TEST_SUITE_P(Pes, DistMap, testing::ValuesIn(grids));

}  // namespace
