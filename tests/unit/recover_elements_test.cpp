// PEs die that had elements of distributed data which hold a Lazy: what it refers to is copied with
// its shard, or made again with it.
#include <cstddef>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/dist.hpp>
#include <trawl/trawl.hpp>

#include "rts/heap/pack.hpp"
#include "rts/inline/places.hpp"
#include "tests/unit/dying_grid.hpp"

namespace trawl {
namespace {

using test::Tally;

using Longs = std::vector<long>;

struct Row {
  long number = 0;
  Lazy<Longs> all;
};

/// No message takes so many along with what refers to them.
constexpr std::size_t many = 3 * heap::PackLimits::large / sizeof(long);

Longs numbered(long from, std::size_t count) {
  Longs all(count);
  std::iota(all.begin(), all.end(), from);
  return all;
}
Row row_of_value(std::size_t i) {
  Simulation::work(1'000);
  const auto number = static_cast<long>(i);
  return {number, Lazy<Longs>(numbered(number, many))};
}
Row row_of_thunk(std::size_t i) {
  Simulation::work(1'000);
  const auto number = static_cast<long>(i);
  return {number, lazy<numbered>(number, std::size_t{3})};
}
Row handed_on(const Row& row) {
  Simulation::work(1'000);
  return {row.number + 1, row.all};
}
long sum_of(const Row& row) {
  const auto& all = force(row.all);
  return std::accumulate(all.begin(), all.end(), row.number);
}

constexpr std::size_t row_count = 6;
constexpr int steps = 6;

template <Row make(std::size_t)>
long sum_at_last() {
  auto d = generate<make>(row_count);
  for (int step = 0; step < steps; ++step) d = map<handed_on>(d);
  d.size();
  Simulation::work(10'000'000);  // in which copies get there
  d = map<handed_on>(d);
  return force(reduce<sum_of, test::added>(d));
}

/// The same without any PE.
long sum_of_all(std::size_t count) {
  long sum = 0;
  for (long number = 0; number < static_cast<long>(row_count); ++number) {
    const auto all = numbered(number, count);
    sum += std::accumulate(all.begin(), all.end(), number + steps + 1);
  }
  return sum;
}

Simulation::Config grid_with_copies(int copies) {
  auto config = test::dying_grid_of(3);
  config.options.copies = copies;
  return config;
}

template <Row make(std::size_t)>
Tally die_in_loop(int copies, std::size_t count) {
  const auto config = grid_with_copies(copies);
  const auto root = [count] { EXPECT_EQ(sum_at_last<make>(), sum_of_all(count)); };
  Tally sum;
  const auto messages = test::run_dying(config, {}, root).messages;
  for (std::uint64_t i = 0; i < messages && !testing::Test::HasFailure(); i += 3) {
    SCOPED_TRACE("message " + std::to_string(i));
    sum.add(test::run_dying(config, {{i, i % 2 == 0, i % 4 < 2}}, root));
  }
  return sum;
}

TEST(RecoverElements, LargeValuesAreCopiedWithThem) {
  const auto sum = die_in_loop<row_of_value>(1, many);
  SCOPED_TRACE(sum.text());
  EXPECT_EQ(sum.not_made_again, 0U);
  EXPECT_GT(sum.cases.by_copy, 0U);
}

TEST(RecoverElements, WhatIsNotEvaluatedIsMadeAgain) {
  const auto sum = die_in_loop<row_of_thunk>(1, 3);
  SCOPED_TRACE(sum.text());
  EXPECT_EQ(sum.not_made_again, 0U);
  EXPECT_EQ(sum.cases.by_copy, 0U);
}

bool evaluated = false;

long evaluating(long x) {
  evaluated = true;
  return x;
}
std::vector<Lazy<long>> some_left(long x) {
  return {lazy<evaluating>(x), Lazy<long>(x)};
}
std::vector<Lazy<long>> none_left(long x) {
  auto all = some_left(x);
  force(all.front());
  return all;
}

template <std::vector<Lazy<long>> make(long)>
bool gathered(bool evaluated_all) {
  bool all = false;
  evaluated = false;
  Simulation simulation(test::dying_grid_of(2));
  simulation.run([&all, evaluated_all] {
    const auto there = detail::lazy_placed<make>(7L);
    sched::place(there.node(), 1);
    Simulation::work(100'000'000);
    all = sched::gather(there.node(), evaluated_all);
    if (all) {
      for (const auto& x : force(there)) EXPECT_TRUE(x.evaluated());
    }
  });
  EXPECT_EQ(simulation.finish(3).code, 3);
  return all;
}

TEST(RecoverElements, NothingIsEvaluatedToGatherIt) {
  EXPECT_FALSE(gathered<some_left>(false));
  EXPECT_FALSE(evaluated);
}

TEST(RecoverElements, WhatIsEvaluatedIsGathered) {
  EXPECT_TRUE(gathered<none_left>(false));
  EXPECT_TRUE(gathered<none_left>(true));
}

/// No message takes all of them along.
std::vector<Lazy<Longs>> a_lot(long x) {
  std::vector<Lazy<Longs>> all;
  for (int i = 0; i < 100; ++i) all.emplace_back(numbered(x, 256));
  return all;
}
std::vector<Lazy<Longs>> a_large_one(long x) {
  return {Lazy<Longs>(numbered(x, many))};
}
bool gathered_here(const Lazy<std::vector<Lazy<Longs>>>& lists) {
  if (!sched::gather(lists.node(), false)) return false;
  for (const auto& list : force(lists)) EXPECT_TRUE(list.evaluated());
  return true;
}

template <std::vector<Lazy<Longs>> make(long)>
void gather_elsewhere() {
  Simulation simulation(test::dying_grid_of(3));
  simulation.run([] {
    const auto there = detail::lazy_placed<make>(7L);
    const auto result = detail::lazy_placed<&gathered_here>(there);
    detail::start(std::vector{there}, std::vector{detail::place_of(1)});  // where it stays
    sched::place(result.node(), 2);
    EXPECT_TRUE(force(result));
  });
  EXPECT_EQ(simulation.finish(3).code, 3);
}

// What a message left behind is known to be evaluated.
TEST(RecoverElements, WhatHadNoRoomIsGathered) {
  gather_elsewhere<a_lot>();
  gather_elsewhere<a_large_one>();
}

}  // namespace
}  // namespace trawl
