// The spark pool under real threads: whatever its owner and the thieves do, each spark is taken
// once.
#include "rts/sched/spark_pool.hpp"

#include <atomic>
#include <cstdint>
#include <fstream>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/lazy.hpp>

namespace trawl::sched {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int rounds = 100'000;
#else
constexpr int rounds = 2'000'000;
#endif

long number(long n) {
  return n;
}

/// A thunk's argument tells which one it is; nobody evaluates it here.
heap::Node* numbered(long n) {
  return lazy<number>(n).node();
}
long number_of(heap::Node* node) {
  using T = heap::Thunk<Function<number>, long, long>;
  return T::argument<0>(node);
}

Slot* push_call(SparkPool& pool, long n) {
  return pool.push(heap::thunk_code<Function<number>, long, long>, n);
}

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

/// Some thieves at the other end of a pool, for as long as this lives. Each calls `took(node)`
/// for every spark that it gets, and now and then makes the owner push the slow way.
template <class Took>
class Thieves {
 public:
  Thieves(SparkPool& pool, int how_many, Took took) : took_(took) {
    prepare_fences();
    for (int i = 0; i < how_many; ++i)
      threads_.emplace_back([this, &pool] {
        heap::mutator();
        for (int turn = 0; !leaving_.load(std::memory_order_relaxed); ++turn) {
          if (heap::Node* node = pool.take_oldest(false)) took_(node);
          if (turn % 64 == 0) pool.watch();
          std::this_thread::yield();
        }
      });
  }
  ~Thieves() {
    leaving_ = true;
    for (auto& thread : threads_) thread.join();
  }

 private:
  Took took_;
  std::atomic<bool> leaving_{false};
  std::vector<std::thread> threads_;
};

/// Who has evaluated what: a thunk that two have taken is evaluated by the one who marks it first.
class Ledger {
 public:
  /// Lives until it is evaluated, as thunks do that somebody wants: a spark keeps nothing alive.
  heap::Node* make(long n) { return waiting_[static_cast<std::size_t>(n)] = numbered(n); }
  void take(heap::Node* node) {
    if (node->move(heap::State::unevaluated, heap::State::black_hole)) call(number_of(node));
  }
  void call(long n) {
    waiting_[static_cast<std::size_t>(n)] = nullptr;
    ++taken_[static_cast<std::size_t>(n)];
  }

  void expect_once_each() const {
    for (long n = 0; n < rounds; ++n) ASSERT_EQ(taken_[static_cast<std::size_t>(n)].load(), 1) << n;
  }

 private:
  std::unique_ptr<std::atomic<int>[]> taken_ { new std::atomic<int>[ rounds ]() };
  std::unique_ptr<std::atomic<heap::Node*>[]> waiting_ { new std::atomic<heap::Node*>[ rounds ]() };
};

TEST(SparkPool, EachThunkIsTakenAndEvaluatedOnce) {
  Ledger ledger;
  std::atomic<long> stolen{0};
  SparkPool pool(16);
  {
    const Thieves thieves(pool, 3, [&](heap::Node* node) {
      ledger.take(node);
      ++stolen;
    });
    std::mt19937_64 random(1);
    std::vector<heap::Node*> mine;  // pushed by us, newest last; thieves may have taken the front
    for (long n = 0; n < rounds; ++n) {
      heap::Node* node = ledger.make(n);
      if (pool.push(node))
        mine.push_back(node);
      else
        ledger.take(node);
      const auto dice = random() % 8;
      if (dice < 3 && !mine.empty()) {
        if (pool.take_back(mine.back())) ledger.take(mine.back());
        mine.pop_back();
      } else if (dice == 3) {
        if (heap::Node* newest = pool.take_newest()) ledger.take(newest);
      } else if (dice == 4) {
        if (heap::Node* oldest = pool.take_oldest(true)) ledger.take(oldest);
      }
      if (mine.size() > 64) mine.erase(mine.begin(), mine.begin() + 32);
    }
    while (heap::Node* node = pool.take_newest()) ledger.take(node);
  }
  ledger.expect_once_each();
  EXPECT_GT(stolen.load(), 0);
  for (int i = 0; i < 16; ++i) EXPECT_TRUE(pool.push(numbered(i))) << "no slot is lost";
}

// As spawn and sync do it: calls nest, with thunks between them, and the owner takes some as its
// main loop does.
TEST(SparkPool, EachCallIsTakenOnce) {
  Ledger ledger;
  std::atomic<long> stolen{0};
  SparkPool pool(64);
  {
    const Thieves thieves(pool, 3, [&](heap::Node* node) {
      ledger.take(node);
      ++stolen;
    });
    const auto nest = [&](auto&& self, long n, int depth) -> void {
      Slot* slot = nullptr;
      bool pushed = true;
      heap::Node* thunk = n % 5 == 0 ? ledger.make(n) : nullptr;
      if (thunk != nullptr)
        pushed = pool.push(thunk);
      else
        slot = push_call(pool, n);
      if (depth > 0) self(self, n + 1, depth - 1);
      if (n % 11 == 0)
        if (heap::Node* newest = pool.take_newest()) ledger.take(newest);
      if (thunk != nullptr) {
        if (!pushed || pool.take_back(thunk)) ledger.take(thunk);
      } else if (pool.take_back(slot)) {
        EXPECT_EQ(std::get<0>(slot->arguments<std::tuple<long>>()), n);
        ledger.call(n);
      } else if (heap::Node* node = pool.reclaim(slot, true)) {
        EXPECT_EQ(number_of(node), n);
      } else {
        EXPECT_EQ(std::get<0>(slot->arguments<std::tuple<long>>()), n);
        pool.discard(slot);
        ledger.call(n);
      }
    };
    for (long n = 0; n < rounds; n += 100) nest(nest, n, 99);
    while (heap::Node* node = pool.take_newest()) ledger.take(node);
  }
  ledger.expect_once_each();
  EXPECT_GT(stolen.load(), 0);
}

/// What became of sparks, counted as workers do.
class Fates {
 public:
  /// A thread is to be made of it.
  void convert(heap::Node* node) {
    if (node->move(heap::State::unevaluated, heap::State::black_hole))
      ++converted_;
    else
      ++fizzled_;
  }
  void subsume() { ++subsumed_; }

  static std::int64_t used(const Fates& fates, SparkPool& pool) {
    const auto sum = fates.converted_ + fates.subsumed_ + fates.fizzled_ + pool.fizzled();
    return static_cast<std::int64_t>(sum) - static_cast<std::int64_t>(pool.taken_twice()) +
           static_cast<std::int64_t>(pool.refused() - pool.promoted() + pool.calls());
  }

 private:
  std::atomic<std::uint64_t> converted_{0};
  std::atomic<std::uint64_t> subsumed_{0};
  std::atomic<std::uint64_t> fizzled_{0};
};

// The owner is mostly at his only spark, where both sides may get it.
void expect_that_sparks_add_up(std::uint64_t seed) {
  Fates fates;
  SparkPool pool(8);
  std::atomic<std::int64_t> thunks{0};
  std::atomic<bool> over{false};
  std::int64_t too_many = 0;
  {
    const Thieves thieves(pool, 2, [&](heap::Node* node) { fates.convert(node); });
    std::thread watcher([&] {
      while (!over) {
        const auto used = Fates::used(fates, pool);
        // Calls, which are never fewer, were read with the others.
        if (used > thunks + static_cast<std::int64_t>(pool.calls())) ++too_many;
        std::this_thread::yield();
      }
    });
    std::mt19937_64 random(seed);
    heap::Node* mine = nullptr;
    for (long n = 0; n < rounds; ++n) {
      const auto dice = random() % 16;
      if (dice < 10) {
        mine = numbered(n);
        ++thunks;
        pool.push(mine);
      }
      if (dice < 8) {
        if (mine != nullptr && mine->move(heap::State::unevaluated, heap::State::black_hole) &&
            pool.take_back(mine))
          fates.subsume();
      } else if (dice < 12) {
        if (heap::Node* newest = pool.take_newest()) fates.convert(newest);
      } else if (dice == 12) {
        if (heap::Node* oldest = pool.take_oldest(true)) fates.convert(oldest);
      } else {
        Slot* const slot = push_call(pool, n);
        if (dice == 13)
          if (heap::Node* newest = pool.take_newest()) fates.convert(newest);
        if (!pool.take_back(slot)) {
          heap::Node* copy = pool.reclaim(slot, true);
          if (copy != nullptr) copy->move(heap::State::unevaluated, heap::State::black_hole);
          if (copy == nullptr) pool.discard(slot);
        }
      }
    }
    over = true;
    watcher.join();
  }
  while (heap::Node* node = pool.take_newest()) fates.convert(node);
  EXPECT_EQ(Fates::used(fates, pool), thunks + static_cast<std::int64_t>(pool.calls()));
  EXPECT_EQ(too_many, 0) << "more were used than made, at times";
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

TEST(SparkPool, WhatBecomesOfSparksAddsUp) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) expect_that_sparks_add_up(seed);
}

}  // namespace
}  // namespace trawl::sched
