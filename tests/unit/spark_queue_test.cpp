// Sparks that have arrived.
#include "rts/sched/spark_queue.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

namespace trawl {
namespace {

long same(long x) {
  return x;
}

std::vector<Lazy<long>> add_to(sched::SparkQueue& queue, long count) {
  std::vector<Lazy<long>> thunks;
  for (long i = 0; i < count; ++i) {
    thunks.push_back(lazy<same>(i));
    queue.add(thunks.back().node());
  }
  return thunks;
}

void evaluate(const Lazy<long>& thunk) {
  thunk.node()->move(heap::State::unevaluated, heap::State::black_hole);
}

TEST(SparkQueue, FirstInFirstOut) {
  sched::SparkQueue queue;
  EXPECT_EQ(queue.take(), nullptr);
  const auto thunks = add_to(queue, 100);
  EXPECT_EQ(queue.size(), 100U);
  for (const auto& thunk : thunks) EXPECT_EQ(queue.take(), thunk.node());
  EXPECT_EQ(queue.take(), nullptr);
  EXPECT_EQ(queue.fizzled(), 0U);
}

TEST(SparkQueue, FizzledOnesBehindALiveOneDoNotPileUp) {
  sched::SparkQueue queue;
  const auto first = add_to(queue, 1);
  std::size_t most = 0;
  for (int round = 0; round < 100; ++round) {
    for (const auto& thunk : add_to(queue, 10)) evaluate(thunk);
    most = std::max(most, queue.size());
  }
  EXPECT_LT(most, 40U);
  EXPECT_EQ(queue.fizzled() + queue.size(), 1001U) << "each is counted once";
  EXPECT_EQ(queue.take(), first.front().node());
}

TEST(SparkQueue, LiveOnesStayInOrder) {
  sched::SparkQueue queue;
  const auto thunks = add_to(queue, 1000);
  for (std::size_t i = 0; i < thunks.size(); i += 2) evaluate(thunks[i]);
  const auto more = add_to(queue, 1000);
  for (std::size_t i = 1; i < thunks.size(); i += 2) {
    auto* spark = queue.take();
    while (spark->state() != heap::State::unevaluated) spark = queue.take();
    EXPECT_EQ(spark, thunks[i].node());
  }
  for (const auto& thunk : more) EXPECT_EQ(queue.take(), thunk.node());
}

// A packet may claim one for a look, and leave it.
TEST(SparkQueue, WhatIsClaimedStays) {
  sched::SparkQueue queue;
  const auto thunks = add_to(queue, 1000);
  for (const auto& thunk : thunks)
    thunk.node()->move(heap::State::unevaluated, heap::State::exported);
  const auto more = add_to(queue, 1000);
  EXPECT_EQ(queue.fizzled(), 0U);
  for (const auto& thunk : thunks) EXPECT_EQ(queue.take(), thunk.node());
}

}  // namespace
}  // namespace trawl
