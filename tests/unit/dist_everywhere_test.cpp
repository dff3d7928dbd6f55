// Distributed data: what each place has: values for all of them, shares, and who has how much.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "tests/unit/dist_grid.hpp"

namespace {

using trawl::Dist;
using trawl::Simulation;
using namespace trawl::test;

class DistEverywhere : public Skeletons {};

std::vector<long> indices(std::size_t n) {
  std::vector<long> all(n);
  std::iota(all.begin(), all.end(), 0L);
  return all;
}

std::vector<int> calls;  // on which PE each was made

std::vector<long> sums(const std::vector<long>& all, long first, const long& more) {
  calls.push_back(Simulation::here());
  std::vector<long> sums(all.size());
  std::partial_sum(all.begin(), all.end(), sums.begin());
  for (auto& sum : sums) sum += first + more;
  return sums;
}
long sum_up_to(long i, const std::vector<long>& sums) {
  return sums[static_cast<std::size_t>(i)];
}
long seven_times(long x) {
  return 7 * x;
}

TEST_P(DistEverywhere, IsMadeOncePerPlaceAndUsedThere) {
  calls.clear();
  run([] {
    const auto d = trawl::generate<index_of>(640);
    const auto more = trawl::broadcast(trawl::lazy<seven_times>(10L));
    const auto there = trawl::apply<sums>(trawl::all_gather(d), 5L, more);
    const auto result = trawl::collect(trawl::map<sum_up_to>(d, there));
    for (const long i : indices(640))
      EXPECT_EQ(result[static_cast<std::size_t>(i)], i * (i + 1) / 2 + 75);
  });
  std::ranges::sort(calls);
  EXPECT_EQ(calls.size(), static_cast<std::size_t>(GetParam()));
  EXPECT_EQ(std::ranges::unique(calls).begin(), calls.end());
}

TEST_P(DistEverywhere, APlaceGetsAValueFromWhereItIs) {
  run([] {
    const auto all = trawl::broadcast(trawl::Lazy<std::vector<long>>(indices(1000)));
    const auto d = trawl::generate<index_of>(1000);
    EXPECT_EQ(trawl::collect(trawl::map<sum_up_to>(d, all)), indices(1000));
  });
}

long slow(long x) {
  Simulation::work(10'000);
  return x;
}

TEST_P(DistEverywhere, HoldingsAreWhatPlacesHave) {
  run([] {
    const auto holdings = trawl::holdings(trawl::map<slow>(trawl::generate<index_of>(6400)));
    ASSERT_EQ(holdings.size(), trawl::places().size());
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < holdings.size(); ++i) {
      EXPECT_TRUE(holdings[i].place == trawl::places()[i]);
      const auto seconds = 10e-6 * static_cast<double>(holdings[i].count);
      EXPECT_GE(holdings[i].seconds, seconds);
      EXPECT_LT(holdings[i].seconds, 1.2 * seconds);
      count += holdings[i].count;
    }
    EXPECT_EQ(count, 6400U);
    EXPECT_TRUE(trawl::holdings(Dist<long>()).empty());
  });
}

long backwards(long x) {
  return -x;
}

// What was given to a place stays given to it.
TEST_P(DistEverywhere, SortingLeavesEachPlaceAsManyShards) {
  run([] {
    const auto d = trawl::on(trawl::places().back(), trawl::generate<index_of>(640));
    const auto sorted = trawl::sort<backwards>(d);
    for (std::size_t i = 0; i < sorted.shards(); ++i)
      EXPECT_TRUE(sorted.place(i) == trawl::places().back());
    auto expected = indices(640);
    std::ranges::reverse(expected);
    EXPECT_EQ(trawl::collect(sorted), expected);
  });
}

INSTANTIATE_TEST_SUITE_P(Pes, DistEverywhere, testing::ValuesIn(grids));

}  // namespace
