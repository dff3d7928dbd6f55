// The spark pool under real threads: whatever its owner and the thieves do, each spark is taken
// once.
#include <atomic>
#include <cstdint>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "rts/sched/spark_pool.hpp"
#include "tests/unit/numbered_sparks.hpp"

namespace trawl::sched {
namespace {

using test::number_of;
using test::numbered;
using test::push_call;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int rounds = 100'000;
#else
constexpr int rounds = 2'000'000;
#endif

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

TEST(SparkPool, WhatBecomesOfSparksAddsUp) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) expect_that_sparks_add_up(seed);
}

}  // namespace
}  // namespace trawl::sched
