// The spark pool, step by step: which spark is taken next, who gets a call, what a seal does, and
// where there is room.
#include "rts/sched/spark_pool.hpp"

#include <cstdint>
#include <fstream>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/numbered_sparks.hpp"

namespace trawl::sched {
namespace {

using test::number;
using test::number_of;
using test::numbered;
using test::push_call;

TEST(SparkPool, OwnerTakesTheNewestThievesTheOldest) {
  SparkPool pool(8);
  std::vector<heap::Node*> nodes;
  for (long i = 0; i < 4; ++i) {
    nodes.push_back(numbered(i));
    EXPECT_TRUE(pool.push(nodes.back()));
  }
  EXPECT_EQ(pool.size(), 4u);
  EXPECT_EQ(pool.take_newest(), nodes[3]);
  EXPECT_EQ(pool.take_oldest(true), nodes[0]);
  EXPECT_FALSE(pool.take_back(nodes[1]));  // not the newest
  EXPECT_TRUE(pool.take_back(nodes[2]));
  EXPECT_EQ(pool.take_oldest(true), nodes[1]);
  EXPECT_EQ(pool.take_oldest(true), nullptr);
  EXPECT_EQ(pool.take_newest(), nullptr);
  EXPECT_EQ(pool.size(), 0u);
}

TEST(SparkPool, TellsWhereASparkLay) {
  SparkPool pool(8);
  const auto beginning = pool.next_place();
  const std::vector<heap::Node*> nodes{numbered(0), numbered(1), numbered(2)};
  for (heap::Node* node : nodes) EXPECT_TRUE(pool.push(node));
  EXPECT_EQ(pool.next_place(), beginning + 3);
  std::uint32_t place = 0;
  EXPECT_EQ(pool.take_newest(&place), nodes[2]);
  EXPECT_EQ(place, beginning + 2);
  EXPECT_EQ(pool.next_place(), beginning + 2);
  EXPECT_EQ(pool.take_oldest(false, &place), nodes[0]);
  EXPECT_EQ(place, beginning);
  EXPECT_EQ(pool.take_oldest_if_free(&place), nodes[1]);
  EXPECT_EQ(place, beginning + 1);
}

// Thousands of simulated PEs have one each.
TEST(SparkPool, TakesMemoryWhenItIsUsed) {
  const auto pages = [] {
    std::size_t size = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> size >> resident;
    return resident;
  };
  constexpr std::size_t slots = 64 * 1024;
  const auto before = pages();
  std::vector<std::unique_ptr<SparkPool>> pools;
  for (int i = 0; i < 16; ++i) pools.push_back(std::make_unique<SparkPool>(slots));
  EXPECT_LT(pages() * 4096, before * 4096 + 16 * slots * sizeof(Slot) / 4);
}

TEST(SparkPool, WhenFullFizzledSparksMakeRoom) {
  SparkPool pool(4);
  std::vector<heap::Node*> nodes;
  for (long i = 0; i < 4; ++i) {
    nodes.push_back(numbered(i));
    EXPECT_TRUE(pool.push(nodes.back()));
  }
  EXPECT_FALSE(pool.push(numbered(4)));
  for (const auto i : {1U, 2U}) nodes[i]->move(heap::State::unevaluated, heap::State::black_hole);
  heap::Node* late = numbered(5);
  EXPECT_TRUE(pool.push(late));
  EXPECT_EQ(pool.fizzled(), 2u);
  EXPECT_EQ(pool.take_oldest(true), nodes[0]);
  EXPECT_EQ(pool.take_oldest(true), nodes[3]);
  EXPECT_EQ(pool.take_oldest(true), late);
}

TEST(SparkPool, AFullPoolFindsRoomAgain) {
  constexpr std::size_t capacity = 1024;
  SparkPool pool(capacity);
  std::vector<heap::Node*> nodes;
  for (std::size_t i = 0; i < capacity; ++i) {
    nodes.push_back(numbered(static_cast<long>(i)));
    ASSERT_TRUE(pool.push(nodes.back()));
  }
  EXPECT_FALSE(pool.push(numbered(0)));
  for (auto* node : nodes) node->move(heap::State::unevaluated, heap::State::black_hole);
  std::size_t refused = 0;
  while (!pool.push(numbered(1))) ASSERT_LT(++refused, capacity);
  EXPECT_EQ(pool.size(), 1u);
  EXPECT_EQ(pool.fizzled(), capacity);
}

TEST(SparkPool, ACallIsPromotedOnceWhenSomebodyElseTakesIt) {
  SparkPool pool(4);
  Slot* slot = push_call(pool, 42);
  heap::Node* node = pool.take_oldest(true);
  ASSERT_NE(node, nullptr);
  EXPECT_EQ(number_of(node), 42);
  EXPECT_EQ(pool.promoted(), 1u);
  EXPECT_EQ(pool.take_oldest(true), nullptr);
  EXPECT_FALSE(pool.take_back(slot));
  EXPECT_EQ(pool.reclaim(slot, true), node);
  EXPECT_EQ(push_call(pool, 43), slot) << "the pool is as it was before";
}

TEST(SparkPool, ArgumentsMayLieElsewhere) {
  SparkPool pool(4);
  const std::tuple<long> arguments(42);
  Slot* slot = pool.push(heap::thunk_code<Function<number>, long, long>, Elsewhere{&arguments});
  EXPECT_EQ(number_of(pool.take_oldest(true)), 42);
  EXPECT_FALSE(pool.take_back(slot));
  EXPECT_NE(pool.reclaim(slot, true), nullptr);
}

TEST(SparkPool, ACallThatItsOwnWorkerTakesStaysForItsSpawner) {
  SparkPool pool(8);
  Slot* const slots[] = {push_call(pool, 0), push_call(pool, 1)};
  heap::Node* thunk = numbered(2);
  ASSERT_TRUE(pool.push(thunk));
  EXPECT_EQ(pool.take_newest(), thunk);
  heap::Node* zero = pool.take_newest();
  heap::Node* one = pool.take_newest();
  EXPECT_EQ(pool.take_newest(), nullptr);
  EXPECT_EQ(pool.size(), 0u);
  Slot* later = push_call(pool, 3);
  EXPECT_EQ(pool.reclaim(slots[0], true), zero);
  EXPECT_TRUE(pool.take_back(later));
  EXPECT_EQ(pool.reclaim(slots[1], true), one);
  EXPECT_EQ(number_of(zero), 0);
  EXPECT_EQ(number_of(one), 1);
  EXPECT_EQ(push_call(pool, 4), slots[0]) << "the pool is as it was before";
}

TEST(SparkPool, ReclaimFindsACallInTheMiddle) {
  SparkPool pool(4);
  Slot* slots[3];
  for (long n = 0; n < 3; ++n) slots[n] = push_call(pool, n);
  EXPECT_FALSE(pool.take_back(slots[1]));
  EXPECT_EQ(pool.reclaim(slots[1], true), nullptr);
  EXPECT_EQ(std::get<0>(slots[1]->arguments<std::tuple<long>>()), 1);
  EXPECT_EQ(number_of(pool.take_oldest(true)), 0);
  EXPECT_EQ(number_of(pool.take_oldest(true)), 2);
  EXPECT_EQ(pool.take_oldest(true), nullptr);
  EXPECT_EQ(pool.promoted(), 2u);
}

TEST(SparkPool, UnderASealNoCallIsTakenBackTheFastWay) {
  SparkPool pool(8);
  EXPECT_EQ(pool.seal(), nullptr) << "there is no call";
  Slot* call = push_call(pool, 1);
  const auto seal = pool.seal();
  ASSERT_TRUE(seal && *seal != nullptr);
  EXPECT_EQ(pool.seal(), nullptr) << "all calls are under one already";
  EXPECT_FALSE(pool.take_back(call));
  Slot* above = push_call(pool, 2);
  EXPECT_EQ(pool.reclaim(call, false), nullptr) << "as from another OS thread";
  EXPECT_TRUE(pool.take_back(above)) << "the owner's end is where it was";
  EXPECT_TRUE(pool.drop_if_needless(*seal));
  EXPECT_EQ(push_call(pool, 3), above);
  EXPECT_EQ(number_of(pool.take_oldest(true)), 3);
}

TEST(SparkPool, ASealIsLiftedWhenItIsTheNewest) {
  SparkPool pool(8);
  Slot* call = push_call(pool, 1);
  Slot* const seal = pool.seal().value();
  Slot* above = push_call(pool, 2);
  EXPECT_FALSE(pool.lift(seal));
  EXPECT_FALSE(pool.drop_if_needless(seal)) << "the call below is not synced";
  EXPECT_TRUE(pool.take_back(above));
  EXPECT_TRUE(pool.lift(seal));
  EXPECT_TRUE(pool.take_back(call));
}

TEST(SparkPool, ThievesPassASeal) {
  SparkPool pool(8);
  Slot* call = push_call(pool, 1);
  ASSERT_TRUE(pool.seal());
  heap::Node* thunk = numbered(2);
  pool.push(thunk);
  heap::Node* promoted = pool.take_oldest(false);
  EXPECT_EQ(number_of(promoted), 1);
  EXPECT_EQ(pool.take_oldest(false), thunk);
  EXPECT_EQ(pool.take_oldest(false), nullptr);
  EXPECT_EQ(pool.take_newest(), nullptr);
  EXPECT_EQ(pool.size(), 0u);
  EXPECT_EQ(pool.reclaim(call, false), promoted);
}

TEST(SparkPool, WhereThereIsNoRoomNothingIsSealed) {
  SparkPool pool(2);
  Slot* const slots[] = {push_call(pool, 0), push_call(pool, 1)};
  EXPECT_FALSE(pool.seal().has_value());
  EXPECT_TRUE(pool.take_back(slots[1]));
  EXPECT_TRUE(pool.seal().has_value());
}

TEST(SparkPool, ACallForWhichThereIsNoRoomIsItsSpawners) {
  SparkPool pool(2);
  Slot* const slots[] = {push_call(pool, 0), push_call(pool, 1), push_call(pool, 2)};
  EXPECT_EQ(pool.refused_calls(), 1u);
  EXPECT_FALSE(pool.take_back(slots[2]));
  EXPECT_EQ(pool.reclaim(slots[2], true), nullptr);
  EXPECT_EQ(std::get<0>(slots[2]->arguments<std::tuple<long>>()), 2);
  pool.discard(slots[2]);
  EXPECT_TRUE(pool.take_back(slots[1]));
  EXPECT_TRUE(pool.take_back(slots[0]));
}

TEST(SparkPool, ThunksMakeRoomAroundCalls) {
  SparkPool pool(6);
  std::vector<heap::Node*> nodes;
  const auto push_thunk = [&](long n) {
    nodes.push_back(numbered(n));
    return pool.push(nodes.back());
  };
  ASSERT_TRUE(push_thunk(0) && push_thunk(1));
  Slot* first = push_call(pool, 2);
  ASSERT_TRUE(push_thunk(3) && push_thunk(4));
  Slot* second = push_call(pool, 5);
  EXPECT_EQ(pool.take_oldest(true), nodes[0]);
  nodes[2]->move(heap::State::unevaluated, heap::State::black_hole);
  EXPECT_TRUE(pool.take_back(second));
  second = push_call(pool, 6);
  heap::Node* late = numbered(7);
  ASSERT_FALSE(pool.push(late)) << "the call at the end can't move";
  EXPECT_EQ(pool.fizzled(), 1u);
  EXPECT_TRUE(pool.take_back(second));
  EXPECT_TRUE(pool.push(late));
  std::vector<long> order;
  while (heap::Node* node = pool.take_oldest(true)) order.push_back(number_of(node));
  EXPECT_EQ(order, (std::vector<long>{1, 4, 2, number_of(late)}));
  EXPECT_NE(pool.reclaim(first, true), nullptr);
}

TEST(SparkPool, ASealIsNoSparkThatWasTakenTwice) {
  SparkPool pool(8);
  Slot* const call = push_call(pool, 1);
  const auto seal = pool.seal();
  ASSERT_TRUE(seal && *seal != nullptr);
  heap::Node* const thunk = numbered(2);
  ASSERT_TRUE(pool.push(thunk));
  heap::Node* const copy = pool.take_oldest(true);
  EXPECT_EQ(pool.take_oldest(true), thunk);
  EXPECT_EQ(pool.taken_twice(), 0u);
  EXPECT_TRUE(pool.lift(*seal));
  EXPECT_EQ(pool.reclaim(call, true), copy);
  EXPECT_EQ(pool.taken_twice(), 0u);
}

}  // namespace
}  // namespace trawl::sched
