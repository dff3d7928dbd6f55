// A spark keeps nothing alive.
#ifndef TRAWL_NO_COLLECTOR

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "rts/sched/spark_pool.hpp"
#include "tests/unit/garbage.hpp"

namespace trawl {
namespace {

using namespace trawl::test;

long value_of(Lazy<long> lazy) {
  return force(lazy);
}

struct Sparked {
  sched::SparkPool pool{100};
  std::vector<std::unique_ptr<heap::Weak>> weak;

  [[gnu::noinline]] Lazy<long> push(long n) {
    const auto thunk = lazy<nfib>(n);
    EXPECT_TRUE(pool.push(thunk.node()));
    weak.push_back(std::make_unique<heap::Weak>(thunk.node()));
    weak.back()->let_die();
    return thunk;
  }
  long dead() const {
    return std::count_if(weak.begin(), weak.end(), [](const auto& each) { return each->dead(); });
  }
};

[[gnu::noinline]] void push_and_drop(Sparked& sparks, long n, heap::State state) {
  for (long i = 0; i < n; ++i) sparks.push(i).node()->move(heap::State::unevaluated, state);
}

TEST(Collector, ASparkKeepsNothingAlive) {
  for (const auto state : {heap::State::unevaluated, heap::State::black_hole}) {
    Sparked sparks;
    const auto first = sparks.push(1);
    push_and_drop(sparks, 40, state);
    sched::Slot* call =
        sparks.pool.push(heap::thunk_code<Function<value_of>, long, Lazy<long>>, Lazy<long>(5));
    const auto second = sparks.push(2);
    push_and_drop(sparks, 40, state);
    const auto third = sparks.push(3);
    scrub_and_collect();
    EXPECT_GE(sparks.dead(), 78) << "a stale word may hold on to one or two";
    EXPECT_GE(sparks.pool.fizzled(), 78U);
    EXPECT_EQ(sparks.weak.size(), 83U);
    // What is alive is found, around what has been forgotten.
    EXPECT_EQ(sparks.pool.take_oldest(false), first.node());
    EXPECT_EQ(sparks.pool.take_newest(), third.node());
    if (state == heap::State::black_hole) {
      heap::Node* copy = sparks.pool.take_oldest(false);
      ASSERT_NE(copy, nullptr);
      scrub_and_collect();
      EXPECT_EQ(sparks.pool.take_oldest(false), second.node());
      using T = heap::Thunk<Function<value_of>, long, Lazy<long>>;
      EXPECT_EQ(force(T::argument<0>(copy)), 5);
      EXPECT_EQ(sparks.pool.reclaim(call, true), copy);
    }
  }
}

// All live sparks are found whoever takes them, while collections forget others.
TEST(Collector, SparksAreTakenWhileOthersAreForgotten) {
  constexpr long rounds = 3000;
  std::atomic<bool> leaving{false};
  std::atomic<long> stolen{0};
  sched::prepare_fences();
  sched::SparkPool pool(64);
  const auto take = [&](heap::Node* node) {
    return node->move(heap::State::unevaluated, heap::State::black_hole) ? 1 : 0;
  };
  std::thread thief([&] {
    heap::mutator();
    while (!leaving) {
      if (heap::Node* node = pool.take_oldest(false)) stolen += take(node);
      std::this_thread::yield();
    }
  });
  std::atomic<long> round{0};
  std::thread collector([&] {
    for (long last = 0; !leaving; last = round) {
      heap::collect();
      while (!leaving && round < last + 3) std::this_thread::yield();
    }
  });
  std::mt19937 random(1);
  long taken = 0;
  for (long i = 0; i < rounds || stolen == 0; ++i, ++round) {
    std::array<Lazy<long>, 4> kept;
    for (auto& each : kept) {
      pool.push(lazy<nfib>(i).node());  // dropped
      each = lazy<nfib>(i);
      pool.push(each.node());
    }
    if (random() % 4 == 0) std::this_thread::yield();
    for (auto at = kept.rbegin(); at != kept.rend(); ++at) {
      if (random() % 2 == 0) pool.take_back(at->node());
      taken += take(at->node());
      if (random() % 2 == 0)
        if (heap::Node* node = pool.take_newest()) taken += take(node);
    }
    while (heap::Node* node = pool.take_newest()) taken += take(node);
  }
  leaving = true;
  thief.join();
  collector.join();
  EXPECT_GE(taken + stolen, 4 * round) << "those that were kept are evaluated by somebody";
  EXPECT_LE(taken + stolen, 8 * round);
  EXPECT_GT(pool.fizzled(), 0U);
}

}  // namespace
}  // namespace trawl

#endif
