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
#include "tests/unit/random_graph.hpp"

namespace trawl {
namespace {

using test::grid_with_copies;
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
Longs twice_each(Longs all) {
  for (long& x : all) x *= 2;
  return all;
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

template <Row make(std::size_t)>
Tally die_in_loop(std::size_t count) {
  return test::run_dying_at_some_messages(
      grid_with_copies(3, 1), [count] { EXPECT_EQ(sum_at_last<make>(), sum_of_all(count)); });
}

TEST(RecoverElements, LargeValuesAreCopiedWithThem) {
  const auto sum = die_in_loop<row_of_value>(many);
  SCOPED_TRACE(sum.text());
  EXPECT_EQ(sum.not_made_again, 0U);
  EXPECT_GT(sum.cases.by_copy, 0U);
}

TEST(RecoverElements, WhatIsNotEvaluatedIsMadeAgain) {
  const auto sum = die_in_loop<row_of_thunk>(3);
  SCOPED_TRACE(sum.text());
  EXPECT_EQ(sum.not_made_again, 0U);
  EXPECT_EQ(sum.cases.by_copy, 0U);
}

// Each step passes on what comes from before the first one, on another PE.
TEST(RecoverElements, WhatManyStepsHaveHandedOn) {
  Simulation simulation(grid_with_copies(3, 1'000));
  simulation.run([&simulation] {
    auto d = generate<row_of_value>(row_count);
    d.size();
    d = on(detail::place_of(2), d);
    for (int step = 0; step <= steps; ++step) d = map<handed_on>(d);
    d.size();
    simulation.net().kill(1);
    Simulation::work(100'000'000);
    EXPECT_EQ(force(reduce<sum_of, test::added>(d)), sum_of_all(many));
  });
  EXPECT_EQ(simulation.finish(3).code, 3);
}

Row grown(const Row& row) {
  return {row.number + 1, lazy<twice_each>(row.all)};
}
Row of_the_next(const Around<Row>& around) {
  return {around[0].number, around[1].all};
}
bool by_number(const Row& a, const Row& b) {
  return a.number % 7 < b.number % 7;
}
long mixed(long x, long y) {
  return (31 * x + y) % 1'000'000'007;
}

/// Steps that hand on what elements refer to, in some order.
long random_steps(std::uint64_t seed) {
  test::Random random(seed);
  auto d = test::below(random, 2) == 0 ? generate<row_of_value>(row_count)
                                       : generate<row_of_thunk>(row_count);
  for (auto steps_left = 2 + test::below(random, 7); steps_left != 0; --steps_left)
    switch (test::below(random, 7)) {
      case 0:
        d = map<grown>(d);
        break;
      case 1:
        d = stencil<of_the_next>(d);
        break;
      case 2:
        d = evenly(d);
        break;
      case 3:
        d = sort<by_number>(d);
        break;
      case 4:
        d = on(test::below(random, 2) == 0 ? places().front() : places().back(), d);
        break;
      case 5:
        d.size();
        Simulation::work(3'000'000);
        break;
      default:
        d = map<handed_on>(d);
    }
  return force(reduce<sum_of, mixed>(d));
}

/// The same on one PE.
long random_steps_alone(std::uint64_t seed) {
  long result = 0;
  Simulation alone(test::dying_grid_of(1));
  alone.run([&] { result = random_steps(seed); });
  EXPECT_EQ(alone.finish(3).code, 3);
  return result;
}

// Hardly any run can't go on: see rts/recover/README.md, What is survived.
TEST(RecoverElements, WhateverIsDoneWithThem) {
  Tally sum;
  for (std::uint64_t seed = 0; seed < test::graphs / 4 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const long expected = random_steps_alone(seed);
    const auto root = [&] { EXPECT_EQ(random_steps(seed), expected); };
    const auto config = grid_with_copies(3, seed % 2 == 0 ? 2 : 1'000);
    const auto messages = test::run_dying(config, {}, root).messages;
    test::Random random(seed);
    for (int run = 0; run < 3; ++run)
      sum.add(test::run_dying(config, {{test::below(random, messages), run == 1, true}}, root));
  }
  SCOPED_TRACE(sum.text());
  EXPECT_LE(sum.not_made_again, 1 + sum.deaths / 100);
}

/// One is told to leave, or one and then all others.
Tally leave_random_steps(std::uint64_t seed, bool all) {
  const auto root = [seed, expected = random_steps_alone(seed)] {
    EXPECT_EQ(random_steps(seed), expected);
  };
  auto config = grid_with_copies(2 + static_cast<int>(seed % 4), seed % 2 == 0 ? 2 : 1'000);
  config.options.packet_size = seed % 3 == 0 ? 0 : config.options.packet_size;
  const auto messages = test::run_dying(config, {}, root).messages;
  test::Random random(seed);
  const auto first = test::below(random, messages);
  std::vector<test::Death> events{{first, true, true, true}};
  if (all)
    events.push_back({first + test::below(random, messages - first), true, true, true, true});
  return test::run_dying(config, events, root);
}

// Who leaves is asked for all that others know there.
TEST(RecoverElements, NothingIsLostWithWhoLeaves) {
  for (const bool all : {false, true}) {
    Tally sum;
    for (std::uint64_t seed = 0; seed < test::graphs / 2 && !testing::Test::HasFailure(); ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      sum.add(leave_random_steps(seed, all));
    }
    SCOPED_TRACE(sum.text());
    EXPECT_GT(sum.left, test::graphs / 5);
    EXPECT_EQ(sum.not_made_again, 0U);
    EXPECT_EQ(sum.revived, 0U);
    EXPECT_EQ(sum.cases.by_value, 0U);
  }
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
