// The heap's protocol where PEs die or leave, case by case: what comes at the wrong moment.
#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <trawl/placed.hpp>

#include "rts/heap/choice.hpp"
#include "rts/heap/shared_heap.hpp"
#include "tests/unit/cells.hpp"
#include "tests/unit/heap_grid.hpp"

namespace trawl::heap {
namespace {

using test::Cell;
using test::HeapGrid;
using test::make_cell;

using Numbers = std::vector<double>;

constexpr std::size_t many = 100'000;  // read outside the lock, or lent

Numbers numbers_from(long first) {
  Numbers numbers(many);
  std::iota(numbers.begin(), numbers.end(), static_cast<double>(first));
  return numbers;
}

/// A packet may bring all that there is.
HeapGrid grid_of(int pes, const std::vector<fabric::Memory>& memory = {}) {
  const auto nobodys = std::vector<fabric::Memory>(static_cast<std::size_t>(pes));
  return {1U << 16U, {.bytes = 1U << 24U}, 1, memory.empty() ? nobodys : memory, true};
}

pid_t process_that_is_gone() {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  EXPECT_EQ(waitpid(child, nullptr, 0), child);
  return child;
}

/// A proxy, at a PE, of what is at another.
template <class T>
Lazy<T> proxy_of(const Lazy<T>& lazy, GlobalAddressTable& there, GlobalAddressTable& here) {
  Node* proxy = Choice::fresh(lazy.node()->code());
  here.adopt(proxy, there.lend(lazy.node()));
  proxy->settle(State::black_hole, State::fetch_me);
  return Lazy<T>::refer_to(proxy);
}

/// PE 1 has evaluated it and lent the value to PE 0, which reads it when PE 1 is gone.
void expect_it_is_evaluated_again(const Lazy<Numbers>& thunk) {
#ifdef TRAWL_NO_COLLECTOR
  GTEST_SKIP() << "nothing is lent without the collector";
#endif
  auto grid = grid_of(2, {fabric::Memory({getpid(), process_that_is_gone()}),
                          fabric::Memory({getpid(), getpid()})});
  ASSERT_TRUE(grid[0].export_spark(thunk.node(), 1));
  grid.deliver(0U);
  ASSERT_NE(grid.work(1), nullptr);
  ASSERT_EQ(grid.under_way().size(), 1U);
  EXPECT_THROW(grid.deliver(0U), Error);
  grid[0].dead(1);
  ASSERT_NE(grid.work(0), nullptr);
  ASSERT_EQ(thunk.node()->state(), State::value);
  EXPECT_EQ(ResultOf<Numbers>::get(thunk.node()), numbers_from(5));
}

TEST(Deaths, WhoLendsAValueIsGoneAndItIsMadeFromItsArguments) {
  expect_it_is_evaluated_again(lazy<numbers_from>(5L));
}
TEST(Deaths, SoIsWhatWasPlaced) {
  expect_it_is_evaluated_again(trawl::detail::lazy_placed_alone<&numbers_from>(5L));
}

// It was also being made again here.
TEST(Deaths, WhatIsBeingReadGetsNoOtherValue) {
  auto grid = grid_of(2);
  const Lazy<Numbers> numbers(numbers_from(1));
  const Lazy<Numbers> equal(numbers_from(1));
  const auto proxy = proxy_of(numbers, grid[1].addresses(), grid[0].addresses());
  int looks = 0;
  grid.meanwhile = [&](int pe) {
    ASSERT_EQ(pe, 0);
    EXPECT_TRUE(grid[0].is_being_read(proxy.node()));
    EXPECT_FALSE(grid[0].also_from(proxy.node(), nullptr));
    if (looks++ == 0) grid[0].remade(proxy.node(), equal.node());
    EXPECT_EQ(proxy.node()->state(), State::fetching);
  };
  grid.demand(0, proxy.node());
  grid.settle();
  EXPECT_GT(looks, 0);
  EXPECT_FALSE(grid[0].is_being_read(proxy.node()));
  ASSERT_EQ(proxy.node()->state(), State::value);
  EXPECT_EQ(ResultOf<Numbers>::get(proxy.node()), numbers_from(1));
}

// It comes along with a list that it ends, and nobody has asked for it before.
TEST(Deaths, WhoForcesWhatIsBeingReadWaitsForThat) {
  auto grid = grid_of(3);
  const auto longs = std::vector<long>(500);
  const Lazy<Cell> last(Cell{0, {}, {}, longs});
  auto list = last;
  for (long i = 1; i < 200; ++i) list = Lazy<Cell>(Cell{i, list, {}, longs});
  const auto proxy = proxy_of(last, grid[1].addresses(), grid[0].addresses());
  const auto first = proxy_of(list, grid[1].addresses(), grid[0].addresses());
  const auto other = proxy_of(proxy, grid[0].addresses(), grid[2].addresses());
  std::size_t asks = 0;
  grid.before = [&](int) {
    if (asks != 0) return;
    ASSERT_TRUE(grid[0].is_being_read(proxy.node()));
    EXPECT_EQ(proxy.node()->state(), State::fetch_me);
    grid.demand(0, proxy.node());
    asks = 1 + grid.under_way().size();
    grid.demand(2, other.node());
    grid.deliver(grid.under_way().size() - 1);  // its FETCH, to PE 0
    asks += grid.under_way().size();
  };
  grid.demand(0, first.node());
  grid.deliver(0U);
  grid.deliver(0U);
  EXPECT_EQ(asks, 1U) << "somebody has asked further";
  grid.settle();
  EXPECT_EQ(grid.asleep(), 0);
  EXPECT_EQ(other.node()->state(), State::value);
}

TEST(Deaths, OthersGetWhatAStragglerHasWhileALongValueIsRead) {
  auto grid = grid_of(3);
  const Lazy<Numbers> numbers(numbers_from(1));
  const auto proxy = proxy_of(numbers, grid[1].addresses(), grid[0].addresses());
  const Lazy<Cell> none;
  const auto spark = lazy<make_cell>(7L, none, none);
  ASSERT_TRUE(grid[0].export_spark(spark.node(), 1));
  bool sent = false;
  grid.meanwhile = [&](int) { sent = sent || grid[0].export_again(spark.node(), 2, 0); };
  grid.demand(0, proxy.node());
  grid.deliver(1U);  // the FETCH: the spark has not arrived yet
  grid.deliver(1U);
  EXPECT_TRUE(sent);
}

// PE 1 had it first, then PE 2, which has died; now it moves to PE 3, which has asked for it.
TEST(Deaths, WhoHadASparkBeforeDoesNotTakeItBack) {
  auto grid = grid_of(4);
  const Lazy<Cell> none;
  const auto spark = lazy<make_cell>(7L, none, none);
  const auto proxy = proxy_of(spark, grid[0].addresses(), grid[3].addresses());
  ASSERT_TRUE(grid[0].export_spark(spark.node(), 1));
  grid.deliver(0U);
  ASSERT_TRUE(grid[0].export_again(spark.node(), 2, 0));
  grid.demand(3, proxy.node());
  grid.deliver(1U);  // the FETCH
  grid[0].dead(2);
  ASSERT_EQ(grid.under_way().size(), 2U);
  grid.deliver(1U);  // the thunk comes to PE 3, which acknowledges it
  ASSERT_EQ(grid.todo(1).size(), 1U);
  ASSERT_TRUE(grid[1].hand_back(grid.todo(1).front()));
  ASSERT_EQ(grid.under_way().size(), 3U);
  grid.deliver(2U);
  EXPECT_EQ(grid[0].cases().handed_back, 0U);
  EXPECT_NO_THROW(grid.deliver(1U)) << "the ACK is for a thunk that is here again";
  grid.work(3);
  EXPECT_EQ(proxy.node()->state(), State::value);
}

// It has come with what it was made from, and its sender refers to it again before he has heard.
TEST(Deaths, WhatHasComeKeepsNothingAliveWhereItWas) {
  auto grid = grid_of(2);
  auto& there = grid[0].addresses();
  auto& here = grid[1].addresses();
  const Lazy<Cell> none;
  const auto thunk = lazy<make_cell>(7L, none, none);
  const auto was = there.lend(thunk.node());
  ASSERT_TRUE(thunk.node()->move(State::unevaluated, State::exported));
  const auto come = lazy<make_cell>(7L, none, none);
  here.adopt(come.node(), {was.at, 0});
  auto& witness = here.make_witness(come.node());
  witness.lineage = new (allocate(sizeof(Lineage))) Lineage();
  witness.here = true;
  const Lazy<Cell> refers(Cell{1, thunk, {}});
  const auto copy = test::carry(refers, there, here);
  EXPECT_EQ(ResultOf<Cell>::get(copy.node()).left.node(), come.node());
  EXPECT_TRUE(here.has_frees());
  grid.send_frees();
  EXPECT_TRUE(grid[1].weights_held().empty());
}

// PE 0 has asked PE 2, by way of who gave it the reference, for what came from PE 3.
TEST(Deaths, WhatIsGoneIsAnsweredWhereItsHomeIsDead) {
  auto grid = grid_of(4);
  grid[2].dead(3);
  grid[2].on_fetch({{2, 0, 77}, 0, 0, {3, 0, 5}}, 0);
  ASSERT_EQ(grid.under_way().size(), 1U);
  EXPECT_EQ(grid.under_way()[0].to, 0);
  EXPECT_EQ(fabric::row_of(grid.under_way()[0].bytes).kind, fabric::Kind::resume);
}

}  // namespace
}  // namespace trawl::heap
