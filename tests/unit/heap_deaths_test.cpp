// The heap's protocol where PEs die or leave, case by case: what comes at the wrong moment.
#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <trawl/placed.hpp>

#include "rts/heap/choice.hpp"
#include "rts/heap/code.hpp"
#include "rts/heap/shared_heap.hpp"
#include "tests/unit/cells.hpp"
#include "tests/unit/garbage.hpp"
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

TEST(Deaths, WhatWasEvaluatedHasNoArgumentsToLookAt) {
  CodeTable::get();
  const auto left = lazy<make_cell>(1L, Lazy<Cell>(), Lazy<Cell>());
  const auto thunk = lazy<make_cell>(7L, left, Lazy<Cell>());
  const auto needed = needed_by(thunk.node(), 9);
  ASSERT_TRUE(needed);
  EXPECT_TRUE(needed->contains(left.node()));
  ASSERT_TRUE(thunk.node()->move(State::unevaluated, State::black_hole));
  EXPECT_FALSE(needed_by(thunk.node(), 9)) << "somebody evaluates it";
  thunk.node()->settle(State::black_hole, State::unevaluated);
  test::evaluate(thunk.node());
  EXPECT_FALSE(needed_by(thunk.node(), 9));
}

double first_of(const Numbers& numbers) {
  return numbers.front();
}

// PE 1 is slow, and may not have read them yet when the value comes from PE 2.
TEST(Deaths, WhoseArgumentsAreLentIsNotDoneASecondTime) {
  auto grid = grid_of(3, {3, fabric::Memory({getpid(), getpid(), getpid()})});
  const auto spark = lazy<first_of>(Numbers(8192, 1));  // 64 KiB: the shortest that is lent
  ASSERT_TRUE(grid[0].export_spark(spark.node(), 1));
  EXPECT_FALSE(grid[0].export_again(spark.node(), 2, 0));
  EXPECT_FALSE(grid[0].evaluate_again(spark.node()));
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

#ifndef TRAWL_NO_COLLECTOR
long plus_one(const Lazy<long>& x) {
  return force(x) + 1;
}

/// Proxies, each made from what needs the one before. Gives the last.
[[gnu::noinline]] Lazy<long> chain_of_proxies(GlobalAddressTable& here, GlobalAddressTable& there,
                                              std::size_t length, bool has_come) {
  Lazy<long> last(0L);
  for (std::size_t i = 0; i < length; ++i) {
    const auto guard = lazy<plus_one>(last);
    const auto proxy = proxy_of(Lazy<long>(1L), there, here);
    auto* lineage = new (allocate(sizeof(Lineage))) Lineage();
    lineage->guard = guard.node();
    here.make_witness(proxy.node()).lineage = lineage;
    here.let_hold_witness(proxy.node());
    if (has_come) {
      here.will_hold_other(proxy.node());
      ResultOf<long>::put(proxy.node(), 1L);
      proxy.node()->settle(State::fetch_me, State::value);
      here.forget_lineage(proxy.node());
    }
    last = proxy;
  }
  return last;
}

// Each step of a loop of skeletons has such proxies. Were it one a collection that dies, a loop
// would fill memory.
TEST(Deaths, WhatAChainOfProxiesComesFromDiesAtOnce) {
  constexpr std::size_t length = 50;
  constexpr std::size_t chains = 40;  // as the stack may seem to hold some
  for (const bool has_come : {false, true}) {
    GlobalAddressTable here(0, 2, 1U << 16U);
    GlobalAddressTable there(1, 2, 1U << 16U);
    here.expect_deaths();
    std::vector<Lazy<long>> lasts;
    for (std::size_t i = 0; i < chains; ++i)
      lasts.push_back(chain_of_proxies(here, there, length, has_come));
    here.sweep();
    if (!has_come) {
      test::collect_well();
      here.sweep();
      EXPECT_EQ(here.proxies(), chains * length) << "each comes from all before it";
    }
    std::ranges::fill(lasts, Lazy<long>());
    clear_finished_calls<4096>();
    collect();
    here.sweep();
    EXPECT_LE(here.proxies(), chains * length / 2);
  }
}
#endif

struct Pair {
  Lazy<long> first;
  Lazy<long> second;
};

Pair pair_of(const Lazy<long>& first, const Lazy<long>& second) {
  return {first, second};
}

// A packet names it twice, once with its value; what it may come from is noted in between.
TEST(Deaths, WhatIsKnownByTwoNamesKeepsTheValueThatHasComeByOne) {
  CodeTable::get();
  for (const bool value_first : {false, true}) {
    GlobalAddressTable here(0, 3, 1U << 16U);
    GlobalAddressTable home(1, 3, 1U << 16U);
    GlobalAddressTable away(2, 3, 1U << 16U);
    for (auto* each : {&here, &home, &away}) each->expect_deaths();
    const Lazy<long> value(42L);
    const auto proxy = proxy_of(value, home, here);
    const auto by_our_name = proxy_of(proxy, here, away);
    ResultOf<long>::put(by_our_name.node(), 42L);
    by_our_name.node()->settle(State::fetch_me, State::value);
    const auto by_its_own = proxy_of(value, home, away);
    const auto sent = lazy<pair_of>(Lazy<long>(), Lazy<long>());
    here.lend(sent.node());
    ASSERT_TRUE(sent.node()->move(State::unevaluated, State::exported));
    const auto made = value_first ? lazy<pair_of>(by_our_name, by_its_own)
                                  : lazy<pair_of>(by_its_own, by_our_name);
    test::evaluate(made.node());
    Writer packet;
    pack_graph(packet, made.node(), away, {}, {0});
    Reader reader(packet.view());
    unpack_graph(reader, 2, here, {}, sent.node());
    EXPECT_EQ(ResultOf<Pair>::get(sent.node()).first.node(), proxy.node());
    EXPECT_EQ(ResultOf<Pair>::get(sent.node()).second.node(), proxy.node());
    ASSERT_EQ(proxy.node()->state(), State::value);
    EXPECT_EQ(ResultOf<long>::get(proxy.node()), 42);
  }
}

// It gets arguments where the other held what it comes from.
TEST(Deaths, WhoBecomesAnotherNodesTwinStillKnowsWhatItComesFrom) {
  auto grid = grid_of(2);
  auto& here = grid[0].addresses();
  const auto thunk = lazy<make_cell>(7L, Lazy<Cell>(), Lazy<Cell>());
  const auto proxy =
      proxy_of(lazy<make_cell>(7L, Lazy<Cell>(), Lazy<Cell>()), grid[1].addresses(), here);
  auto* lineage = new (allocate(sizeof(Lineage))) Lineage();
  lineage->guard = lazy<make_cell>(7L, Lazy<Cell>(), Lazy<Cell>()).node();
  here.make_witness(proxy.node()).lineage = lineage;
  here.let_hold_witness(proxy.node());
  proxy.node()->settle(State::fetch_me, State::fetching);
  const auto target = here.target(proxy.node()).value();
  const auto name = here.lend(thunk.node());
  here.note_leaving(1);
  grid[0].on_fetch({name.at, 0, target.ticket, target.at}, 1);
  ASSERT_EQ(proxy.node()->state(), State::unevaluated);
  const auto* const first_words = *reinterpret_cast<void* const*>(proxy.node()->payload(8));
  auto* const witness = here.witness(proxy.node());
  EXPECT_NE(static_cast<const void*>(witness), first_words) << "its arguments are there";
  for (int i = 0; i < 4; ++i) collect();
  for (int i = 0; i < 10'000; ++i) static_cast<void>(Lazy<long>(-1L));
  ASSERT_EQ(here.witness(proxy.node()), witness);
  EXPECT_TRUE(witness->here);
  EXPECT_EQ(witness->lineage, lineage);
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
