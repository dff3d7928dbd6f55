// How large the heap is: it grows where collections take long, and what is not needed goes back.
#include "rts/heap/heap_size.hpp"

#include <limits>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "rts/heap/collect.hpp"

namespace trawl {
namespace {

constexpr std::size_t mega = 1'000'000;
constexpr auto unbounded = std::numeric_limits<std::size_t>::max();

TEST(HeapSize, StaysWhereCollectionsTakeATenth) {
  EXPECT_EQ(heap::growth({100 * mega, 50 * mega, 60 * mega, 1, 9}, unbounded), 0U);
  EXPECT_EQ(heap::growth({100 * mega, 50 * mega, 60 * mega, 1, 1000}, unbounded), 0U);
  EXPECT_EQ(heap::growth({100 * mega, 50 * mega, 60 * mega, 0, 0}, unbounded), 0U);
}

TEST(HeapSize, RoomGrowsByWhatCollectionsTakeTooLong) {
  EXPECT_EQ(heap::growth({100 * mega, 50 * mega, 60 * mega, 3, 18}, unbounded), 25 * mega);
  EXPECT_EQ(heap::growth({100 * mega, 10 * mega, 95 * mega, 3, 18}, unbounded), 5 * mega);
}

TEST(HeapSize, RoomIsAtMostDoubledAtOnce) {
  EXPECT_EQ(heap::growth({100 * mega, 50 * mega, 60 * mega, 9, 1}, unbounded), 50 * mega);
  EXPECT_EQ(heap::growth({100 * mega, 50 * mega, 60 * mega, 9, 0}, unbounded), 50 * mega);
}

TEST(HeapSize, KeepsToItsBounds) {
  EXPECT_EQ(heap::growth({100 * mega, 80 * mega, 30 * mega, 9, 1}, 130 * mega),
            0U);  // five times 20 alive
  EXPECT_EQ(heap::growth({90 * mega, 70 * mega, 80 * mega, 9, 1}, unbounded), 10 * mega);
  EXPECT_EQ(heap::growth({100 * mega, 50 * mega, 60 * mega, 9, 1}, 130 * mega), 30 * mega);
  EXPECT_EQ(heap::growth({100 * mega, 50 * mega, 60 * mega, 9, 1}, 90 * mega), 0U);
}

TEST(HeapSize, GrowsWhereMoreIsFreedThanItHolds) {
  EXPECT_EQ(heap::growth({100 * mega, 200 * mega, 40 * mega, 9, 1}, unbounded), 60 * mega);
  EXPECT_EQ(heap::growth({100 * mega, 200 * mega, 10 * mega, 9, 1}, unbounded), 0U);
}

// Five times what is alive, however early it was collected.
TEST(HeapSize, StaysWhereLittleIsAliveThoughLittleWasAllocated) {
  EXPECT_EQ(heap::growth({100 * mega, 20 * mega, 10 * mega, 9, 1}, unbounded), 0U);
  EXPECT_EQ(heap::growth({100 * mega, 20 * mega, 40 * mega, 9, 1}, unbounded), 60 * mega);
}

#ifndef TRAWL_NO_COLLECTOR

[[gnu::noinline]] void make_arrays() {
  std::vector<Lazy<std::vector<double>>> arrays;
  for (int i = 0; i < 400; ++i) arrays.emplace_back(std::vector<double>(65536, 1));
}

// A step of an iteration needs again what the last one had: a dozen collections give nothing back.
TEST(HeapSize, WhatIsFreeForAWhileStays) {
  make_arrays();
  const auto before = heap::collector_statistics().heap_bytes;
  for (int i = 0; i < 12; ++i) heap::collect();
  EXPECT_EQ(heap::collector_statistics().heap_bytes, before);
}

TEST(HeapSize, WhatIsNotNeededGoesBack) {
  make_arrays();
  const auto before = heap::collector_statistics().heap_bytes;
  EXPECT_GT(before, 200 * mega);
  heap::give_back(3600 * Nanos{1'000'000'000});
  EXPECT_EQ(heap::collector_statistics().heap_bytes, before);
  // Words that look like their addresses keep some; and what has lately been freed beside it makes
  // all of a free block count as such.
  for (int i = 0; i < 5 && heap::collector_statistics().heap_bytes >= before / 2; ++i) {
    heap::give_back(0);
    make_arrays();
  }
  heap::give_back(0);
  EXPECT_LT(heap::collector_statistics().heap_bytes, before / 2);
}

#endif

}  // namespace
}  // namespace trawl
