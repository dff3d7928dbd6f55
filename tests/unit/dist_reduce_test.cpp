// Distributed data: reduced, scanned, sorted, exchanged, gathered.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/unit/dist_grid.hpp"

namespace {

using trawl::Dist;
using trawl::Lazy;
using trawl::Simulation;
using namespace trawl::test;

class DistReduce : public Skeletons {};

struct Body {
  std::uint32_t key = 0;
  std::uint32_t id = 0;
  double work = 0;

  friend bool operator==(const Body&, const Body&) = default;
};

Body body(std::size_t i, std::uint64_t seed, std::uint32_t keys) {
  std::mt19937_64 random(seed * 1000003 + i);
  return {static_cast<std::uint32_t>(random() % keys), static_cast<std::uint32_t>(i),
          static_cast<double>(random() % 9)};
}
std::vector<Body> bodies(std::size_t n, std::uint64_t seed, std::uint32_t keys) {
  std::vector<Body> all;
  for (std::size_t i = 0; i < n; ++i) all.push_back(body(i, seed, keys));
  return all;
}
double work(const Body& b, double more) {
  return b.work + more;
}
double add(double a, double b) {
  return a + b;
}
double root_of(const Body& b) {
  return std::sqrt(b.work + 0.1 * b.key);
}
std::string name(const Body& b) {
  return std::to_string(b.id) + " ";
}
std::uint64_t length(const std::vector<Body>& shard) {
  return shard.size();
}
constexpr auto sizes = {0U, 1U, 2U, 63U, 64U, 65U, 1234U};

TEST_P(DistReduce, AddsUp) {
  for (const std::size_t n : sizes)
    run([&] {
      const auto d = trawl::generate<body>(n, std::uint64_t{n}, 100U);
      const auto sum = trawl::reduce<work, add>(d, 1.0);
      double expected = 0;
      for (const auto& b : bodies(n, n, 100)) expected += b.work + 1;
      EXPECT_EQ(trawl::force(sum), expected);
      EXPECT_EQ(trawl::force(trawl::reduce<length, std::plus<std::uint64_t>{}>(d)), n);
    });
}

TEST_P(DistReduce, CombinesInOrder) {
  run([&] {
    const auto d = trawl::generate<body>(300, std::uint64_t{1}, 100U);
    std::string expected;
    for (const auto& b : bodies(300, 1, 100)) expected += name(b);
    EXPECT_EQ(trawl::force(trawl::reduce<name, joined>(d)), expected);
  });
}

double rounded_sum() {
  const auto d = trawl::generate<body>(5000, std::uint64_t{3}, 1000U);
  return trawl::force(trawl::reduce<root_of, add>(d));
}

TEST_P(DistReduce, SameBitsOnAnyPes) {
  double one = 0;
  double here = 0;
  Simulation::Config alone = config();
  alone.net.pes = 1;
  run(alone, [&] { one = rounded_sum(); });
  run([&] { here = rounded_sum(); });
  EXPECT_EQ(one, here);
}

long value_at(std::size_t i, std::uint64_t seed) {
  return static_cast<long>((seed * 31 + i * i) % 1000) - 500;
}
std::string word(std::size_t i) {
  return std::string(1, static_cast<char>('a' + i % 26));
}

TEST_P(DistReduce, Scans) {
  for (const std::size_t n : sizes)
    run([&] {
      const auto d = trawl::generate<value_at>(n, std::uint64_t{n});
      std::vector<long> expected;
      for (std::size_t i = 0; i < n; ++i) expected.push_back(value_at(i, n));
      std::inclusive_scan(expected.begin(), expected.end(), expected.begin(), plus, 17L);
      EXPECT_EQ(trawl::collect(trawl::scan<plus>(d, 17L)), expected);
    });
  run([] {
    const auto words = trawl::scan<joined>(trawl::generate<word>(100), std::string(">"));
    std::string so_far = ">";
    std::size_t i = 0;
    for (const auto& x : words) EXPECT_EQ(x, so_far += word(i++));
  });
}

bool later(const Body& a, const Body& b) {
  return a.key > b.key;
}

TEST_P(DistReduce, SortsAsStableSortDoes) {
  std::mt19937_64 random(static_cast<std::uint64_t>(GetParam()));
  for (const std::uint32_t keys : {1U, 3U, 100U, 1000000U})
    for (const std::size_t n : {0U, 1U, 2U, 65U, 3000U}) {
      const auto seed = random() % 1000;
      run([&] {
        const auto d = trawl::generate<body>(n, seed, keys);
        auto expected = bodies(n, seed, keys);
        std::ranges::stable_sort(expected, {}, &Body::key);
        const auto sorted = trawl::sort<&Body::key>(d);
        EXPECT_EQ(trawl::collect(sorted), expected) << n << " with " << keys << " keys";
        EXPECT_EQ(sorted.shards(), d.shards());
        std::ranges::stable_sort(expected, later);
        const auto back = trawl::sort<later>(sorted, trawl::by<&Body::work>);
        EXPECT_EQ(trawl::collect(back), expected) << n << " with " << keys << " keys";
      });
    }
}

/// Of a Card pointers are sorted, where a Body goes to and fro itself.
struct Card {
  std::int32_t value = 0;
  std::uint32_t id = 0;
  std::array<std::uint64_t, 2> more{};

  friend bool operator==(const Card&, const Card&) = default;
};
Card card(std::size_t i, std::uint64_t seed, std::uint32_t values) {
  return {static_cast<std::int32_t>(body(i, seed, values).key % values) - 2,
          static_cast<std::uint32_t>(i),
          {i, i * i}};
}
bool higher(const Card& a, const Card& b) {
  return a.value > b.value;
}
double zero_or_so(std::size_t i, std::uint64_t seed) {
  constexpr std::array some{0.0, -0.0, 1.5, -1.5, 1e300, -1e-300};
  return some[body(i, seed, 1000).key % some.size()];
}
std::vector<std::uint64_t> bits(const std::vector<double>& numbers) {
  std::vector<std::uint64_t> all;
  for (const double x : numbers) all.push_back(std::bit_cast<std::uint64_t>(x));
  return all;
}

TEST_P(DistReduce, SortsLargeElementsAndNumbersAsStableSortDoes) {
  for (const std::uint32_t values : {1U, 5U, 1000U})
    for (const std::size_t n : {0U, 1U, 65U, 3000U, 20'000U})
      run([&] {
        const auto d = trawl::generate<card>(n, std::uint64_t{n}, values);
        auto expected = trawl::collect(d);
        std::ranges::stable_sort(expected, {}, &Card::value);
        const auto sorted = trawl::sort<&Card::value>(d);
        EXPECT_EQ(trawl::collect(sorted), expected) << n << " of " << values << " values";
        std::ranges::stable_sort(expected, higher);
        const auto back = trawl::sort<higher>(sorted, trawl::by<&Card::id>);
        EXPECT_EQ(trawl::collect(back), expected) << n << " of " << values << " values";
        const auto numbers = trawl::generate<zero_or_so>(n, std::uint64_t{values});
        auto in_order = trawl::collect(numbers);
        std::ranges::stable_sort(in_order);
        EXPECT_EQ(bits(trawl::collect(trawl::sort(numbers))), bits(in_order));
      });
}

std::vector<double> work_of_shard(const std::vector<Body>& shard) {
  double sum = 0;
  for (const auto& b : shard) sum += b.work;
  return {sum};
}

TEST_P(DistReduce, SortCutsWhereTheWeightBalances) {
  run([] {
    const auto d = trawl::generate<body>(20000, std::uint64_t{5}, 1000000U);
    const auto sorted = trawl::sort<&Body::key>(d, trawl::by<&Body::work>);
    const auto works = trawl::collect(trawl::map_shards<work_of_shard>(sorted));
    const auto all = std::reduce(works.begin(), works.end());
    ASSERT_EQ(works.size(), 64U);
    EXPECT_LT(*std::ranges::max_element(works), 1.5 * all / 64);
  });
}

double nothing(const Body&) {
  return 0;
}

// So is before the first step what a step will tell the work of.
TEST_P(DistReduce, WhereNothingWeighsAnythingAllWeighsTheSame) {
  run([] {
    const auto sorted = trawl::sort<&Body::key>(
        trawl::generate<body>(6400, std::uint64_t{5}, 1'000'000U), trawl::by<nothing>);
    const auto held = trawl::holdings(sorted);
    for (const auto& place : held) {
      EXPECT_GT(place.count, 6400 / held.size() / 2);
      EXPECT_LT(place.count, 6400 / held.size() * 2);
    }
  });
}

TEST_P(DistReduce, ExchangesRows) {
  for (const std::size_t n : {0U, 1U, 2U, 64U, 65U, 150U})
    run([&] {
      const auto d = trawl::exchange(trawl::generate<row>(n, std::size_t{n}));
      std::size_t i = 0;
      for (const auto& each : d) {
        ASSERT_EQ(each.size(), n);
        for (std::size_t j = 0; j < n; ++j) EXPECT_EQ(each[j], j * n + i);
        ++i;
      }
      EXPECT_EQ(i, n);
    });
  run([&] {
    EXPECT_THROW(trawl::collect(trawl::exchange(trawl::generate<row>(5, std::size_t{6}))),
                 trawl::Error);
  });
}

std::size_t count_of(std::size_t, const std::vector<long>& all) {
  return all.size();
}

TEST_P(DistReduce, GathersAll) {
  for (const std::size_t n : sizes)
    run([&] {
      const auto d = trawl::generate<value_at>(n, std::uint64_t{4});
      const auto all = trawl::all_gather(d);
      std::vector<long> expected;
      for (std::size_t i = 0; i < n; ++i) expected.push_back(value_at(i, 4));
      EXPECT_EQ(trawl::force(all), expected);
      const auto lengths = trawl::collect(trawl::generate<count_of>(10, all));
      EXPECT_EQ(lengths, std::vector<std::size_t>(10, n));
    });
}

std::vector<double> row_of_doubles(std::size_t, std::size_t n) {
  return std::vector<double>(n, 1);
}

TEST_P(DistReduce, DataGoFromOwnerToOwner) {
  static constexpr std::size_t n = 800;
  run([] {
    const auto d = trawl::exchange(trawl::generate<row_of_doubles>(n, n));
    EXPECT_EQ(d.size(), n);
  });
  // Of all, the main PE sends what is its own.
  const auto bytes = static_cast<double>(n * n * sizeof(double));
  const auto share = bytes / GetParam();
  EXPECT_LT(static_cast<double>(count(0, trawl::Count::message_bytes)), 1.5 * share + 100'000);
}

int where() {
  return Simulation::here();
}
std::vector<int> pes_of(const std::vector<Body>& shard) {
  return std::vector<int>(shard.size(), Simulation::here());
}

TEST_P(DistReduce, CallsAreMadeWhereTheyArePlaced) {
  run([this] {
    const auto places = trawl::places();
    ASSERT_EQ(places.size(), static_cast<std::size_t>(GetParam()));
    std::vector<Lazy<int>> calls;
    for (const auto place : places) calls.push_back(trawl::apply<where>(place));
    std::set<int> pes;
    for (const auto& call : calls) pes.insert(trawl::force(call));
    EXPECT_EQ(pes.size(), places.size());
    const auto last = trawl::on(places.back(), trawl::generate<body>(100, std::uint64_t{1}, 10U));
    EXPECT_EQ(trawl::collect(trawl::map_shards<pes_of>(last)),
              std::vector<int>(100, trawl::force(calls.back())));
    EXPECT_EQ(trawl::collect(last), bodies(100, 1, 10));
  });
}

TEST_P(DistReduce, AllWithDelaysAndReordering) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    auto wild = config();
    wild.net.seed = seed;
    wild.net.jitter = 300'000;
    wild.net.reorder = true;
    run(wild, [&] {
      auto d = trawl::generate<body>(500, seed, 50U);
      const auto expected = bodies(500, seed, 50);
      for (int i = 0; i < 3; ++i)
        d = i % 2 == 0 ? trawl::sort<later>(d) : trawl::sort<&Body::id>(d);
      auto sorted = expected;
      std::ranges::stable_sort(sorted, later);
      EXPECT_EQ(trawl::force(trawl::all_gather(d)), sorted);
      EXPECT_EQ(trawl::force(trawl::reduce<length, std::plus<std::uint64_t>{}>(d)), 500U);
    });
  }
}

std::vector<std::pair<long, long>> pairs(long x) {
  return {{x, x}};
}
long around_of(const trawl::Around<long>& around) {
  return around[0];
}

TEST_P(DistReduce, NothingAtAll) {
  run([] {
    const Dist<long> none;
    EXPECT_TRUE(none.empty());
    EXPECT_TRUE(trawl::map<plus>(none, 1L).empty());
    EXPECT_EQ(trawl::force(trawl::reduce<std::identity{}, plus>(none)), 0);
    EXPECT_TRUE(trawl::scan<plus>(none, 1L).empty());
    EXPECT_TRUE(trawl::sort<std::identity{}>(none).empty());
    EXPECT_TRUE(trawl::exchange(Dist<std::vector<long>>()).empty());
    EXPECT_TRUE(trawl::force(trawl::all_gather(none)).empty());
    EXPECT_TRUE(trawl::stencil<around_of>(none).empty());
    EXPECT_TRUE((trawl::map_reduce<pairs, plus>(none).empty()));
    EXPECT_TRUE(trawl::rebalance(none).empty());
    EXPECT_TRUE(trawl::on(trawl::Place(), none).empty());
  });
}

TEST_P(DistReduce, AllWithTwoWorkers) {
  run(two_workers(), [] {
    const auto d = trawl::generate<body>(1000, std::uint64_t{2}, 70U);
    auto expected = bodies(1000, 2, 70);
    std::ranges::stable_sort(expected, {}, &Body::key);
    const auto sorted = trawl::sort<&Body::key>(d);
    EXPECT_EQ(trawl::collect(sorted), expected);
    EXPECT_EQ(trawl::force(trawl::all_gather(sorted)), expected);
    std::string names;
    for (const auto& b : expected) names += name(b);
    EXPECT_EQ(trawl::force(trawl::reduce<name, joined>(sorted)), names);
  });
}

INSTANTIATE_TEST_SUITE_P(Pes, DistReduce, testing::ValuesIn(grids));

}  // namespace
