// The heap's protocol, case by case: who moves where, what is overtaken, what is refused.
#include "rts/heap/shared_heap.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/unit/cells.hpp"
#include "tests/unit/counted.hpp"
#include "tests/unit/heap_grid.hpp"

namespace trawl::heap {
namespace {

using test::HeapGrid;

using test::Cell;
using test::make_cell;

using Counted = test::Counted<struct OfSharedHeap>;

long take_counted(const Counted&) {
  return 1;
}
long take_lazy(const Lazy<long>&) {
  return 2;
}

/// Delivers all messages in the order of sending.
void in_order(HeapGrid& grid) {
  while (!grid.under_way().empty() || grid.work(0) != nullptr || grid.work(1) != nullptr)
    if (!grid.under_way().empty()) grid.deliver(std::size_t{0});
}

// T moves to PE 1, comes back inside of another thunk, and moves to PE 1 again into the node that
// it was there: PE 0 then has two proxies for one address.
TEST(Sharing, AThunkThatComesAndGoesLeavesTwoProxies) {
  HeapGrid grid(2, 1U << 16U, {}, 1);
  const Lazy<Cell> none;
  const auto thunk = lazy<make_cell>(1L, none, none);
  auto& here = grid[0].addresses();
  const Address at{1, 0, 77};
  ASSERT_TRUE(thunk.node()->move(State::unevaluated, State::exported));
  const auto was = here.lend(thunk.node());
  Node* other = Lazy<Cell>(Cell{}).node();
  here.adopt(other, {at, 5});
  grid[0].on_ack({{{was, {at, 4}}}});
  EXPECT_EQ(thunk.node()->state(), State::fetch_me);
  grid.demand(0, thunk.node());
  ASSERT_EQ(grid.under_way().size(), 1U);
  EXPECT_EQ(thunk.node()->state(), State::fetching);
  EXPECT_EQ(here.target(thunk.node())->at, at);
}

// PE 2 asks PE 0 for a thunk that has moved to PE 1; before the FETCH gets there, the thunk has
// left PE 1 for good.
TEST(Sharing, AFetchThatIsOvertakenStartsAgain) {
  HeapGrid grid(3, 1U << 16U, {}, 1);
  const Lazy<Cell> none;
  const auto thunk = lazy<make_cell>(7L, none, none);
  // A value takes references to the thunk to PE 2 and to PE 1.
  const Lazy<Cell> holder(Cell{0, thunk, {}});
  const auto at_two = test::carry(holder, grid[0].addresses(), grid[2].addresses());
  const auto at_one = test::carry(holder, grid[0].addresses(), grid[1].addresses());
  const auto proxy_two = ResultOf<Cell>::get(at_two.node()).left;
  const auto proxy_one = ResultOf<Cell>::get(at_one.node()).left;
  // PE 1 fetches it but does not evaluate it: it only answers another PE's FETCH.
  grid.demand(1, proxy_one.node());
  in_order(grid);
  ASSERT_EQ(proxy_one.node()->state(), State::value);
  // The slot by which PE 0 knows it is now PE 1's; PE 2 asks PE 0, and its FETCH goes to a slot of
  // PE 1 that never was: gone.
  const auto target = grid[2].addresses().target(proxy_two.node()).value();
  proxy_two.node()->settle(State::fetch_me, State::fetching);
  grid[1].on_fetch({{1, 0, 999}, 2, target.ticket, target.at}, 2);
  grid.settle();
  ASSERT_EQ(proxy_two.node()->state(), State::value);
  EXPECT_EQ(ResultOf<Cell>::get(proxy_two.node()).value, 21);
}

// PE 2 asks PE 1, which has asked PE 0: the thunk comes to PE 1 and goes on to PE 2.
TEST(Sharing, NobodyFetchesWhatOnlyAnotherPeNeeded) {
  HeapGrid grid(3, 1, {}, 1);
  const auto thunk = lazy<make_cell>(7L, Lazy<Cell>(), Lazy<Cell>());
  const Lazy<Cell> holder(Cell{0, thunk, {}});
  const auto at_one = test::carry(holder, grid[0].addresses(), grid[1].addresses());
  const auto at_two = test::carry(at_one, grid[1].addresses(), grid[2].addresses());
  const auto here = ResultOf<Cell>::get(at_one.node()).left;
  const auto there = ResultOf<Cell>::get(at_two.node()).left;
  ASSERT_EQ(grid[2].addresses().target(there.node())->at.pe, 1U);
  grid[1].fetch_early(here.node());
  grid.demand(2, there.node());
  ASSERT_EQ(grid.under_way().size(), 2U);
  grid.deliver(1);
  while (grid.deliver()) {
  }
  EXPECT_EQ(here.node()->state(), State::fetch_me) << "it was fetched though nobody waits";
  EXPECT_EQ(grid[1].blocking_queues(), 0U);
  EXPECT_NE(grid.work(2), nullptr);
  EXPECT_EQ(there.node()->state(), State::value);
}

/// What can't be written while there is no memory.
struct Bulky {
  static inline bool no_memory = false;
  long value = 0;
  template <class Archive>
  void save(Archive& archive) const {
    if (no_memory) throw std::bad_alloc();
    archive(value);
  }
  template <class Archive>
  void load(Archive& archive) {
    archive(value);
  }
};

long value_of(const Bulky& bulky) {
  return bulky.value;
}
long sum_of(Lazy<long>, Lazy<long>, Lazy<long>) {
  return 0;
}

// A thunk would have gone along, a reference been lent, and half of a proxy's weight been given.
TEST(Sharing, ASparkThatCannotBePackedIsAsItWas) {
  HeapGrid grid(2, 1U << 16U, {}, 1);
  const auto proxy = test::carry(Lazy<Lazy<long>>(lazy<value_of>(Bulky{1})), grid[1].addresses(),
                                 grid[0].addresses());
  const auto far = ResultOf<Lazy<long>>::get(proxy.node());
  ASSERT_EQ(far.node()->state(), State::fetch_me);
  const auto held = grid.weights_held();
  const auto out = grid.weights_out();
  const auto near = lazy<sum_of>(Lazy<long>(), Lazy<long>(), Lazy<long>());
  const auto bulky = lazy<value_of>(Bulky{2});
  const auto spark = lazy<sum_of>(far, near, bulky);
  Bulky::no_memory = true;
  EXPECT_THROW(grid[0].export_spark(spark.node(), 1), std::bad_alloc);
  Bulky::no_memory = false;
  for (const Node* node : {spark.node(), near.node(), bulky.node()})
    EXPECT_EQ(node->state(), State::unevaluated);
  EXPECT_EQ(grid.weights_held(), held);
  EXPECT_EQ(grid.weights_out(), out);
  EXPECT_TRUE(grid.under_way().empty());
  EXPECT_TRUE(grid[0].export_spark(spark.node(), 1));
  grid.settle();
  EXPECT_EQ(spark.node()->state(), State::value);
}

using Row = std::vector<Lazy<Cell>>;

/// PE 0's row of cells, in order, as PE 1 sees it: none of them is there.
Row row_of(HeapGrid& grid, long cells) {
  Row row;
  for (long i = 0; i < cells; ++i)
    row.push_back(lazy<make_cell>(2 * i, Lazy<Cell>(), Lazy<Cell>()));
  const auto there = test::carry(Lazy<Row>(row), grid[0].addresses(), grid[1].addresses());
  for (const auto& cell : row) test::evaluate(cell.node());
  return ResultOf<Row>::get(there.node());
}

long values_in(const Row& row) {
  return std::count_if(row.begin(), row.end(),
                       [](const auto& cell) { return cell.node()->state() == State::value; });
}

TEST(Sharing, WhoAsksForOneAfterTheOtherGetsThoseThatFollow) {
  HeapGrid grid(2, 1U << 16U, {}, 1);
  const auto row = row_of(grid, 100);
  for (const auto& cell : row) {
    grid.demand(1, cell.node());
    in_order(grid);
    ASSERT_EQ(cell.node()->state(), State::value);
    EXPECT_EQ(ResultOf<Cell>::get(cell.node()).value, 6 * (&cell - row.data()));
  }
  EXPECT_EQ(grid.count(0, Count::fetch_received), 4U) << "two, and one for every 33";
  grid.send_frees();
  grid.settle();
  EXPECT_EQ(grid.weights_out(), grid.weights_held());
}

TEST(Sharing, WhoAsksHereAndThereGetsWhatHeAskedFor) {
  HeapGrid grid(2, 1U << 16U, {}, 1);
  const auto row = row_of(grid, 200);
  for (const std::size_t at : {150U, 50U, 110U, 10U}) {
    grid.demand(1, row[at].node());
    in_order(grid);
  }
  EXPECT_EQ(values_in(row), 4);
}

TEST(Sharing, OnlyWhatAPacketHoldsFollows) {
  HeapGrid grid(2, 1U << 16U, {200, 0}, 1);
  const auto row = row_of(grid, 100);
  grid.demand(1, row[0].node());
  in_order(grid);
  grid.demand(1, row[1].node());
  in_order(grid);
  EXPECT_GT(values_in(row), 2);
  EXPECT_LT(values_in(row), 12);
}

// Whoever waits for a packet of a list gets the next one too, but not the whole list; they grow to
// four times their length.
TEST(Sharing, AListIsFetchedOnePacketAhead) {
  HeapGrid grid(2, 1U << 16U, {200, 0}, 1);
  Lazy<Cell> list;
  for (long i = 0; i < 200; ++i) list = Lazy<Cell>(Cell{i, list, {}});
  auto at = test::carry(list, grid[0].addresses(), grid[1].addresses(), {0, 0});
  const auto walk = [&at] {
    long cells = 0;
    for (; at && at.node()->state() == State::value; ++cells)
      at = ResultOf<Cell>::get(at.node()).left;
    return cells;
  };
  EXPECT_EQ(walk(), 1);
  long all = 1;
  for (int round = 0; at; ++round) {
    const auto sent = grid.delivered();
    grid.demand(1, at.node());
    grid.settle();
    ASSERT_EQ(at.node()->state(), State::value);
    const auto cells = walk();
    all += cells;
    EXPECT_EQ(grid.asleep(), 0);
    if (at) {
      EXPECT_GE(cells, 10);
      EXPECT_LE(cells, round == 0 ? 15 + 30 : 2 * 60);
      EXPECT_EQ(grid.delivered() - sent, 4U) << "two packets, asked for one by one";
    }
  }
  EXPECT_EQ(all, 200);
  EXPECT_EQ(grid.weights_out(), grid.weights_held());
}

// What an exported thunk was called with is not needed once it has arrived; until then it is, as
// it may come back.
TEST(Sharing, ArgumentsAreDroppedOnceAThunkHasArrived) {
  Counted::alive = 0;
  HeapGrid grid(2, 1U << 16U, {}, 1);
  const auto thunk = lazy<take_counted>(Counted());
  ASSERT_EQ(Counted::alive, 1);
  ASSERT_TRUE(grid[0].export_spark(thunk.node(), 1));
  EXPECT_FALSE(grid[0].export_spark(thunk.node(), 1)) << "it has left";
  EXPECT_EQ(Counted::alive, 1);
  const auto& schedule = grid.under_way();
  ASSERT_EQ(schedule.size(), 1U);
  const auto kind_fish_and_again = 4U;
  EXPECT_EQ(grid.count(0, Count::packet_bytes), schedule[0].bytes.size() - kind_fish_and_again);
  grid.deliver();
  EXPECT_EQ(Counted::alive, 2);
  ASSERT_NE(grid.work(1), nullptr);
  ASSERT_EQ(schedule.size(), 1U) << "its result is its acknowledgement";
  const auto head = 1 + sizeof(Address) + sizeof(std::uint32_t) + sizeof(Weight);
  EXPECT_EQ(grid.count(1, Count::packet_bytes), schedule[0].bytes.size() - head);
  grid.settle();
  EXPECT_EQ(thunk.node()->state(), State::value);
  EXPECT_EQ(Counted::alive, 0);

  // One that goes along with another.
  const auto inner = lazy<take_counted>(Counted());
  const auto outer = lazy<take_lazy>(inner);
  ASSERT_TRUE(grid[0].export_spark(outer.node(), 1));
  grid.deliver();
  EXPECT_EQ(inner.node()->state(), State::exported);
  EXPECT_EQ(Counted::alive, 2);
  grid.deliver();
  EXPECT_EQ(grid.count(1, Count::ack_sent), 1U);
  EXPECT_EQ(inner.node()->state(), State::fetch_me);
  EXPECT_EQ(Counted::alive, 1) << "the other PE has it";

  // Its spark's lead to it: they would keep its value where it is.
  EXPECT_EQ(outer.node()->state(), State::exported) << "it may be begun here, too, if it is late";
  grid[0].drop_arguments_of_sent_sparks();
  EXPECT_EQ(outer.node()->state(), State::fetching);
  ASSERT_NE(grid.work(1), nullptr);
  grid.settle();
  EXPECT_EQ(outer.node()->state(), State::value);
}

// What is wrong whoever reads it, `read` refuses (messages_test.cpp).
TEST(Sharing, MessagesThatFitNothingHereAreRefused) {
  HeapGrid grid(2, 1U << 16U, {}, 1);
  auto& here = grid[0];
  const Lazy<Cell> none;
  const auto thunk = lazy<make_cell>(1L, none, none);
  const auto lent = here.addresses().lend(thunk.node());
  const Address gone{0, 0, lent.at.slot + 1};
  const Reference away{{1, 0, 3}, 1};
  EXPECT_THROW(here.on_ack({{{lent, away}}}), BadBytes) << "it was not sent";
  ASSERT_TRUE(thunk.node()->move(State::unevaluated, State::exported));
  EXPECT_THROW(here.on_ack({{{{gone, 1}, away}}}), BadBytes);
  EXPECT_THROW(here.on_free({{{gone.slot, 1}}}, 1), BadBytes);
  EXPECT_THROW(here.on_free({{{lent.at.slot, lent.weight + 1}}}, 1), BadBytes);
  EXPECT_EQ(thunk.node()->state(), State::exported);
  EXPECT_EQ(here.addresses().weights_out().at(lent.at.slot), lent.weight);

  // Results: of what is gone, not evaluated.
  const auto value = lazy<make_cell>(2L, none, none);
  test::evaluate(value.node());
  const auto refused = [&](const Address& key, Node* root) {
    Writer packet;
    pack_graph(packet, root, grid[1].addresses(), {});
    Reader reader(packet.view());
    EXPECT_THROW(here.on_resume({key, 1, 0}, reader, 1), BadBytes);
  };
  refused(gone, value.node());
  const auto moving = lazy<make_cell>(3L, none, none);
  ASSERT_TRUE(moving.node()->move(State::unevaluated, State::exported));
  refused(lent.at, moving.node());

  Writer packet;
  pack_graph(packet, value.node(), grid[1].addresses(), {});
  Reader reader(packet.view());
  EXPECT_THROW(here.on_schedule({}, reader, 1), BadBytes);
}

// Only of a PE that is known to be dead, from who gave the reference.
TEST(Sharing, RefusesAFetchOfAnotherPEsNode) {
  HeapGrid grid(3, 8, {}, 1);
  EXPECT_THROW(grid[0].on_fetch({{1, 0, 7}, 2, 0, {1, 0, 7}}, 2), BadBytes);
}

}  // namespace
}  // namespace trawl::heap
