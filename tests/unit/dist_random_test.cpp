// Every skeleton on shards of random shapes, on grids whose messages are late and overtake each
// other, against the algorithms of the standard library.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "tests/unit/dist_grid.hpp"

namespace {

using trawl::Around;
using trawl::Dist;
using trawl::Edge;
using trawl::Halo;
using namespace trawl::test;

class DistRandom : public Skeletons {
 protected:
  /// Runs `root(random)` on grids in which each message is late by up to a third of a millisecond.
  template <class Root>
  void run_wild(Root root) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      auto wild = config();
      wild.net.seed = seed;
      wild.net.jitter = 300'000;
      wild.net.reorder = true;
      run(wild, [&] {
        std::mt19937_64 random(seed * 1000 + static_cast<std::uint64_t>(GetParam()));
        root(random);
      });
    }
  }
};

long number(std::size_t i, std::uint64_t seed) {
  return static_cast<long>((i * i * 7919 + seed * 31) % 1009) - 300;
}
long times(long x, long by) {
  return x * by;
}
// None to three of each, so shards are of any length, and some are empty.
std::vector<long> some_of(const std::vector<long>& shard, std::uint64_t seed) {
  std::vector<long> some;
  const bool none = shard.empty() || (static_cast<std::uint64_t>(shard.front()) + seed) % 3 == 0;
  for (const long x : shard)
    for (auto copies = none ? 0 : (static_cast<std::uint64_t>(x + 300) + seed) % 4; copies > 0;
         --copies)
      some.push_back(x + static_cast<long>(copies));
  return some;
}

/// A Dist, and what is in it, by another way.
struct Both {
  Dist<long> dist;
  std::vector<long> all;
};

Both some(std::mt19937_64& random) {
  const auto seed = random() % 1000;
  const std::size_t n = random() % (random() % 2 == 0 ? 100 : 2000);
  Both both{trawl::generate<number>(n, std::uint64_t{seed}), {}};
  for (std::size_t i = 0; i < n; ++i) both.all.push_back(number(i, seed));
  if (random() % 4 == 0) return both;
  const auto shards = both.dist.shards();
  std::vector<long> fewer;
  for (std::size_t s = 0; s < shards; ++s) {
    const auto begin =
        both.all.begin() + static_cast<std::ptrdiff_t>(trawl::detail::shard_begin(n, shards, s));
    const auto end = both.all.begin() +
                     static_cast<std::ptrdiff_t>(trawl::detail::shard_begin(n, shards, s + 1));
    const auto part = some_of(std::vector<long>(begin, end), seed);
    fewer.insert(fewer.end(), part.begin(), part.end());
  }
  both.dist = trawl::map_shards<some_of>(both.dist, std::uint64_t{seed});
  both.all = std::move(fewer);
  if (random() % 3 == 0) {
    const auto places = trawl::places();
    both.dist = trawl::on(places[random() % places.size()], both.dist);
  }
  return both;
}

TEST_P(DistRandom, GenerateMapAndMapShards) {
  run_wild([](auto& random) {
    auto [dist, all] = some(random);
    EXPECT_EQ(trawl::collect(dist), all);
    EXPECT_EQ(dist.size(), all.size());
    const auto doubled = trawl::map<plus>(dist, dist);
    std::transform(all.begin(), all.end(), all.begin(), all.begin(), plus);
    for (auto& x : all) x *= 3;
    EXPECT_EQ(trawl::collect(trawl::map<times>(doubled, 3L)), all);
  });
}

std::string text_of(long x) {
  return std::to_string(x) + " ";
}
long sum_of(const std::vector<long>& shard) {
  return std::accumulate(shard.begin(), shard.end(), 0L);
}

TEST_P(DistRandom, Reduce) {
  run_wild([](auto& random) {
    const auto [dist, all] = some(random);
    const auto text = trawl::reduce<text_of, joined>(dist);
    const auto sum = trawl::reduce<sum_of, plus>(dist);
    std::string expected;
    for (const long x : all) expected += text_of(x);
    EXPECT_EQ(trawl::force(text), expected);
    EXPECT_EQ(trawl::force(sum), sum_of(all));
  });
}

TEST_P(DistRandom, Scan) {
  run_wild([](auto& random) {
    auto [dist, all] = some(random);
    std::inclusive_scan(all.begin(), all.end(), all.begin(), plus, 17L);
    EXPECT_EQ(trawl::collect(trawl::scan<plus>(dist, 17L)), all);
  });
}

long last_digit(long x) {
  return x % 10;
}
bool greater(long a, long b) {
  return a > b;
}
double weight(long x) {
  return x % 50 == 0 ? 100 : 1;
}

TEST_P(DistRandom, Sort) {
  run_wild([](auto& random) {
    auto [dist, all] = some(random);
    std::ranges::stable_sort(all, {}, last_digit);
    const auto by_digit = trawl::sort<last_digit>(dist, trawl::by<weight>);
    EXPECT_EQ(trawl::collect(by_digit), all);
    std::ranges::stable_sort(all, greater);
    EXPECT_EQ(trawl::collect(trawl::sort<greater>(by_digit)), all);
  });
}

std::size_t lengths(std::size_t i, const std::vector<long>& all) {
  return all.size() + i;
}

TEST_P(DistRandom, ExchangeAndAllGather) {
  run_wild([](auto& random) {
    const std::size_t n = random() % 100;
    auto rows = trawl::generate<row>(n, std::size_t{n});
    if (random() % 2 == 0) rows = trawl::on(trawl::places().back(), rows);
    std::size_t i = 0;
    for (const auto& each : trawl::exchange(rows)) {
      std::vector<std::size_t> column(n);
      for (std::size_t j = 0; j < n; ++j) column[j] = j * n + i;
      EXPECT_EQ(each, column);
      ++i;
    }
    EXPECT_EQ(i, n);
    const auto [dist, all] = some(random);
    const auto gathered = trawl::all_gather(dist);
    const auto seen = trawl::collect(trawl::generate<lengths>(70, gathered));
    for (std::size_t k = 0; k < 70; ++k) EXPECT_EQ(seen[k], all.size() + k);
    EXPECT_EQ(trawl::force(gathered), all);
  });
}

long near(const Around<long>& around, long by) {
  return around[-2] + by * around[0] - around[2];
}

template <Edge edge>
void expect_stencil(const Both& both) {
  const auto n = static_cast<std::ptrdiff_t>(both.all.size());
  const auto at = [&](std::ptrdiff_t i) {
    if (edge == Edge::nothing && (i < 0 || i >= n)) return 0L;
    if (edge == Edge::wrapped) i = (i % n + n) % n;
    return both.all[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(i, 0, n - 1))];
  };
  std::vector<long> expected;
  for (std::ptrdiff_t i = 0; i < n; ++i) expected.push_back(at(i - 2) + 3 * at(i) - at(i + 2));
  EXPECT_EQ(trawl::collect(trawl::stencil<near, Halo{2, edge}>(both.dist, 3L)), expected);
}

TEST_P(DistRandom, Stencil) {
  run_wild([](auto& random) {
    const auto both = some(random);
    expect_stencil<Edge::repeated>(both);
    expect_stencil<Edge::wrapped>(both);
    expect_stencil<Edge::nothing>(both);
  });
}

std::vector<std::pair<long, std::string>> texts(long x) {
  std::vector<std::pair<long, std::string>> all;
  for (long i = 0; i < (x + 300) % 4; ++i) all.emplace_back(x % 7, std::to_string(i));
  return all;
}

TEST_P(DistRandom, MapReduce) {
  run_wild([](auto& random) {
    const auto [dist, all] = some(random);
    std::map<long, std::string> expected;
    for (const long x : all)
      for (const auto& [key, value] : texts(x)) expected[key] += value;
    const auto pairs = trawl::collect(trawl::map_reduce<texts, joined>(dist));
    EXPECT_EQ(pairs.size(), expected.size()) << "each key once";
    EXPECT_EQ((std::map<long, std::string>(pairs.begin(), pairs.end())), expected);
  });
}

Dist<long> doubled_and_sorted(const Dist<long>& d, long by) {
  return trawl::sort<std::identity{}>(trawl::map<times>(d, by));
}

TEST_P(DistRandom, IterateRebalanceApplyAndOn) {
  run_wild([](auto& random) {
    auto [dist, all] = some(random);
    const auto places = trawl::places();
    const auto total = trawl::apply<sum_of>(places[random() % places.size()], all);
    EXPECT_EQ(trawl::force(total), sum_of(all));
    const auto moved = trawl::on(places[random() % places.size()], dist);
    EXPECT_EQ(trawl::collect(moved), all);
    EXPECT_EQ(trawl::collect(trawl::rebalance(moved, 100, trawl::by_count)), all);
    const auto steps = trawl::iterate<doubled_and_sorted>(moved, 3, 2L);
    for (auto& x : all) x *= 8;
    std::ranges::sort(all);
    EXPECT_EQ(trawl::collect(steps), all);
  });
}

struct Range {
  long low = 0, high = -1;
};
Range around(const trawl::Portion<long>& own, long margin) {
  Range range{1L << 40, -(1L << 40)};
  for (const auto& shard : own)
    for (const long x : shard)
      range = {std::min(range.low, x - margin), std::max(range.high, x + margin)};
  return range;
}
std::vector<long> inside(const trawl::Portion<long>& own, const Range& range) {
  std::vector<long> some;
  for (const auto& shard : own)
    std::ranges::copy_if(shard, std::back_inserter(some),
                         [&](long x) { return x >= range.low && x <= range.high; });
  return some;
}
std::vector<long> all_near(const trawl::Portion<long>& own,
                           const std::vector<trawl::Lazy<std::vector<long>>>& others) {
  std::vector<long> all;
  for (const auto& shard : own) all.insert(all.end(), shard.begin(), shard.end());
  for (const auto& other : others)
    all.insert(all.end(), trawl::force(other).begin(), trawl::force(other).end());
  return all;
}
long neighbours(long x, const std::vector<long>& all) {
  return std::ranges::count_if(all, [x](long y) { return std::abs(x - y) <= 5; });
}

TEST_P(DistRandom, Essential) {
  run_wild([](auto& random) {
    auto [dist, all] = some(random);
    const auto sorted = trawl::sort<std::identity{}>(dist);
    std::ranges::sort(all);
    const auto near_here = trawl::essential<around, inside, all_near>(sorted, 5L);
    std::vector<long> expected;
    for (const long x : all)
      expected.push_back(std::ranges::upper_bound(all, x + 5) -
                         std::ranges::lower_bound(all, x - 5));
    EXPECT_EQ(trawl::collect(trawl::map<neighbours>(sorted, near_here)), expected);
  });
}

long of_all(long x, const std::vector<long>& all) {
  return all.empty() ? x : x + all[static_cast<std::size_t>(x + 300) % all.size()];
}
std::vector<long> doubles(const std::vector<long>& all) {
  auto twice = all;
  for (auto& x : twice) x *= 2;
  return twice;
}

TEST_P(DistRandom, EvenlyAndBroadcast) {
  run_wild([](auto& random) {
    auto [dist, all] = some(random);
    const auto even = trawl::evenly(dist);
    EXPECT_EQ(trawl::collect(even), all);
    EXPECT_EQ(even.shards(), trawl::generate<number>(all.size(), std::uint64_t{1}).shards());
    const auto everywhere = trawl::broadcast(trawl::lazy<doubles>(all));
    const auto twice = doubles(all);
    std::vector<long> expected;
    for (const long x : all) expected.push_back(of_all(x, twice));
    const auto from_there = random() % 2 == 0 ? dist : even;
    EXPECT_EQ(trawl::collect(trawl::map<of_all>(from_there, everywhere)), expected);
  });
}

using Longs = std::vector<long>;
using Kept = trawl::Lazy<Longs>;

Kept kept_numbers(std::size_t n, std::uint64_t seed) {
  Longs numbers(n);
  for (std::size_t i = 0; i < n; ++i) numbers[i] = number(i, seed);
  return trawl::keep(std::move(numbers));
}
Kept kept_sum(const Kept& a, const Kept& b) {
  Longs sum = trawl::force(a);
  const Longs& other = trawl::force(b);
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += other[i % other.size()];
  return trawl::keep(std::move(sum));
}

// A value stays where it was made, and goes from there to whoever needs it.
TEST_P(DistRandom, AppliedWhereValuesAreKept) {
  run_wild([](auto& random) {
    const auto places = trawl::places();
    const auto somewhere = [&] { return places[random() % places.size()]; };
    std::vector<Kept> kept;
    std::vector<Longs> expected;
    for (int i = 0; i < 4; ++i) {
      const auto n = 1 + random() % 3000;
      const auto seed = random() % 1000;
      kept.push_back(trawl::force(trawl::apply<kept_numbers>(somewhere(), n, seed)));
      auto& numbers = expected.emplace_back();
      for (std::size_t k = 0; k < n; ++k) numbers.push_back(number(k, seed));
    }
    for (int i = 0; i < 12; ++i) {
      const auto a = random() % kept.size();
      const auto b = random() % kept.size();
      kept.push_back(trawl::force(trawl::apply<kept_sum>(somewhere(), kept[a], kept[b])));
      auto sum = expected[a];
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += expected[b][k % expected[b].size()];
      expected.push_back(std::move(sum));
      // Others die.
      const auto old = random() % kept.size();
      kept[old] = kept.back();
      expected[old] = expected.back();
    }
    for (std::size_t i = 0; i < kept.size(); ++i)
      EXPECT_EQ(trawl::force(trawl::apply<sum_of>(somewhere(), kept[i])), sum_of(expected[i]));
    EXPECT_EQ(trawl::force(kept.back()), expected.back());
  });
}

std::string line_of(long x) {
  return std::string(static_cast<std::size_t>(x + 300) % 40, 'x') + std::to_string(x) + "\n";
}

TEST_P(DistRandom, WrittenAndRead) {
  const auto file = testing::TempDir() + "trawl_random_" + std::to_string(getpid());
  run_wild([&](auto& random) {
    const auto [dist, all] = some(random);
    std::string text;
    for (const long x : all) text += line_of(x);
    EXPECT_EQ(trawl::write<line_of>(dist, file), text.size());
    std::string read;
    for (const auto& line : trawl::collect(trawl::read_lines({file}))) read += line + "\n";
    EXPECT_EQ(read, text);
  });
  std::filesystem::remove(file);
}

INSTANTIATE_TEST_SUITE_P(Pes, DistRandom, testing::ValuesIn(grids));

}  // namespace
