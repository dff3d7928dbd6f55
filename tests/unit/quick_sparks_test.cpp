// Sparks that come into a pool the quick way: none slips past who watches for them, or seeks their
// data.
#include <atomic>
#include <thread>

#include <gtest/gtest.h>
#include <trawl/lazy.hpp>

#include "rts/sched/fence.hpp"
#include "rts/sched/spark_pool.hpp"
#include "rts/sched/workers.hpp"
#include "tests/unit/team.hpp"

namespace trawl::sched {
namespace {

long number(long n) {
  return n;
}

TEST(QuickSparks, AreRefusedUntilTheOwnerAllowsThem) {
  SparkPool pool(8);
  heap::Node* const node = lazy<number>(1L).node();
  EXPECT_FALSE(pool.push_quickly(node)) << "somebody may have sought data before there was a pool";
  pool.allow_quick();
  EXPECT_TRUE(pool.push_quickly(node));
  pool.refuse_quick();
  EXPECT_FALSE(pool.push_quickly(node));
  EXPECT_EQ(pool.size(), 1u);
  EXPECT_EQ(pool.take_newest(), node);
}

TEST(QuickSparks, WhatIsWatchedForComesTheSlowWay) {
  int noticed = 0;
  SparkPool pool(8, [&noticed] { ++noticed; });
  heap::Node* const node = lazy<number>(1L).node();
  pool.allow_quick();
  pool.watch();
  pool.allow_quick();
  EXPECT_FALSE(pool.push_quickly(node));
  EXPECT_TRUE(pool.push(node));
  EXPECT_EQ(noticed, 1);
  EXPECT_FALSE(pool.watched());
  pool.allow_quick();
  EXPECT_TRUE(pool.push_quickly(node));
  EXPECT_EQ(noticed, 1);
}

TEST(QuickSparks, AFullPoolTakesNoMore) {
  SparkPool pool(4);
  heap::Node* const node = lazy<number>(1L).node();
  pool.allow_quick();
  for (std::size_t i = 0; i < 4; ++i) EXPECT_TRUE(pool.push_quickly(node));
  while (pool.push_quickly(node)) ASSERT_LE(pool.size(), 6u);
  EXPECT_FALSE(pool.push(node));
}

TEST(QuickSparks, ComeTheSlowWayOnceDataAreSought) {
  test::Team team(1);
  team.run([] {
    auto& worker = worker_here();
    const auto node = [](long n) { return lazy<number>(n).node(); };
    spark(node(1));
    EXPECT_TRUE(worker.pool.push_quickly(node(2))) << "nothing large is known";
    worker.workers().seek_data();
    EXPECT_FALSE(worker.pool.push_quickly(node(3)));
    spark(node(4));
    EXPECT_TRUE(worker.pool.push_quickly(node(5))) << "there was nothing to seek";
  });
}

// As sparks are made (sched/place.cpp), while another OS thread watches, and seeks data.
TEST(QuickSparks, WhoWatchesWhileTheyComeSeesTheNext) {
  constexpr int rounds = 500;
  constexpr long most = 1'000'000'000;
  std::atomic<int> noticed{0};
  std::atomic<bool> seeks{false};
  std::atomic<int> found{0};
  SparkPool pool(64, [&noticed] { ++noticed; });
  heap::Node* const node = lazy<number>(1L).node();
  prepare_fences();
  std::atomic<bool> ended{false};
  std::jthread other([&] {
    for (int round = 0; round < rounds && !ended; ++round) {
      const int before = noticed;
      pool.watch();
      while (noticed == before && !ended) std::this_thread::yield();
      seeks = true;
      pool.refuse_quick();
      while (found <= round && !ended) std::this_thread::yield();
    }
    ended = true;
  });
  for (long i = 0; i < most && !ended; ++i) {
    if (i % 256 == 0) std::this_thread::yield();
    if (!pool.push_quickly(node)) {
      if (seeks.exchange(false)) ++found;
      pool.push(node);
      pool.allow_quick();
      if (seeks) pool.refuse_quick();
    }
    if (!pool.take_back(node)) break;
  }
  EXPECT_TRUE(ended.exchange(true))
      << "a watch, or who seeks data, was overlooked, or a spark lost";
  EXPECT_EQ(noticed, rounds);
  EXPECT_EQ(found, rounds);
}

}  // namespace
}  // namespace trawl::sched
