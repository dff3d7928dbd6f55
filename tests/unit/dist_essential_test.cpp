// Skeletons that send each place what it needs, or lay data out evenly; and the same skeletons on
// one core.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#include "tests/unit/dist_grid.hpp"

namespace {

using namespace trawl::test;

class DistEssential : public Skeletons {};

struct Item {
  long key = 0;
  long weight = 1;
  friend bool operator==(const Item&, const Item&) = default;
};

Item item(std::size_t i) {
  return {static_cast<long>(i * 7919 % 1009), static_cast<long>(1 + i % 5)};
}
Item moved(Item x, long by) {
  x.key = (x.key * by + 1) % 1013;
  return x;
}
long key_of(const Item& x) {
  return x.key;
}
double as_double(const Item& x) {
  return 0.1 * static_cast<double>(x.key);
}
double of_both(double a, double b) {
  return a + b;
}

struct Range {
  long low = 0, high = -1;
};
Range covered(const trawl::Portion<Item>& own, long margin) {
  Range range{1L << 40, -(1L << 40)};
  for (const auto& shard : own)
    for (const auto& x : shard)
      range = {std::min(range.low, x.key - margin), std::max(range.high, x.key + margin)};
  return range;
}
std::vector<Item> within(const trawl::Portion<Item>& own, const Range& range, long) {
  std::vector<Item> some;
  for (const auto& shard : own)
    for (const auto& x : shard)
      if (x.key >= range.low && x.key <= range.high) some.push_back(x);
  return some;
}
std::vector<Item> together(const trawl::Portion<Item>& own,
                           const std::vector<trawl::Lazy<std::vector<Item>>>& others, long) {
  std::vector<Item> all;
  for (const auto& shard : own) all.insert(all.end(), shard.begin(), shard.end());
  for (const auto& other : others)
    all.insert(all.end(), trawl::force(other).begin(), trawl::force(other).end());
  return all;
}
long near_it(const Item& x, const std::vector<Item>& all) {
  return std::ranges::count_if(all, [&x](const Item& y) { return std::abs(x.key - y.key) <= 3; });
}
std::vector<Item> uneven_items(const std::vector<Item>& shard) {
  std::vector<Item> some;
  for (const auto& x : shard)
    if (x.key % 10 < 3) some.push_back(x);
  return some;
}

TEST_P(DistEssential, EachPlaceHasWhatItNeeds) {
  run([] {
    const auto items = trawl::sort<key_of>(trawl::generate<item>(2000));
    const auto near_here = trawl::essential<covered, within, together>(items, 3L, 0L);
    const auto all = trawl::collect(items);
    std::vector<long> expected;
    for (const auto& x : all) expected.push_back(near_it(x, all));
    EXPECT_EQ(trawl::collect(trawl::map<near_it>(items, near_here)), expected);
  });
}

TEST_P(DistEssential, OfNothingIsNothing) {
  run([] {
    const auto nothing =
        trawl::essential<covered, within, together>(trawl::generate<item>(0), 3L, 0L);
    EXPECT_TRUE(trawl::force(nothing).empty());
  });
}

std::vector<Item> broken(const trawl::Portion<Item>&, const Range&, long) {
  throw std::out_of_range("nothing there");
}

TEST_P(DistEssential, WhatASelectionThrowsIsThrownWhereItIsNeeded) {
  run([this] {
    const auto items = trawl::generate<item>(2000);
    const auto near_here = trawl::essential<covered, broken, together>(items, 3L, 0L);
    const auto counts = trawl::map<near_it>(items, near_here);
    if (alone()) {
      EXPECT_EQ(counts.size(), items.size());
    } else {
      EXPECT_THROW(trawl::collect(counts), trawl::ElementError);
    }
  });
}

TEST_P(DistEssential, EvenlyIsAsGenerated) {
  run([] {
    const auto some = trawl::map_shards<uneven_items>(trawl::generate<item>(3000));
    const auto even = trawl::evenly(some);
    EXPECT_EQ(trawl::collect(even), trawl::collect(some));
    const auto like = trawl::generate<item>(some.size());
    ASSERT_EQ(even.shards(), like.shards());
    EXPECT_EQ(even.parts().counts(), like.parts().counts());
    EXPECT_EQ(trawl::evenly(trawl::generate<item>(0)).size(), 0U);
  });
}

template <class Items>
auto steps(Items items) {
  for (int i = 0; i < 3; ++i) {
    items = trawl::map<moved>(items, 17L + i);
    items = trawl::sort<&Item::key>(items, trawl::by<&Item::weight>);
  }
  return items;
}

TEST_P(DistEssential, ASequenceComputesTheSameBits) {
  run([] {
    for (const std::uint64_t n : {0U, 1U, 50U, 65U, 3000U}) {
      const auto here = steps(trawl::sequence<item>(n));
      const auto there = steps(trawl::generate<item>(n));
      EXPECT_EQ(trawl::collect(here), trawl::collect(there)) << n;
      EXPECT_EQ((trawl::reduce<as_double, of_both>(here)),
                trawl::force(trawl::reduce<as_double, of_both>(there)))
          << n;
      EXPECT_EQ(trawl::collect(trawl::scan<of_both>(trawl::map<as_double>(here), 0.1)),
                trawl::collect(trawl::scan<of_both>(trawl::map<as_double>(there), 0.1)))
          << n;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Pes, DistEssential, testing::ValuesIn(grids));

}  // namespace
