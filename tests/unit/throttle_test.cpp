// Who is to be slow is not made to sleep while others would wait for a lock of his.
#include "rts/host/throttle.hpp"

#include <mutex>

#include <gtest/gtest.h>

#include "rts/host/brief_mutex.hpp"
#include "rts/host/clocks.hpp"

namespace trawl {
namespace {

void compute(Nanos time) {
  for (const auto end = processor_time() + time; processor_time() < end;) {
  }
}

TEST(Throttle, LeavesTheHolderOfALockAlone) {
  volatile bool asked = false;
  const Throttle throttle({[] { return 0.01; },
                           [&] {
                             asked = true;
                             return false;
                           }});
  BriefMutex mutex;
  {
    const std::lock_guard lock(mutex);
    compute(20'000'000);
    EXPECT_FALSE(asked);
  }
  EXPECT_FALSE(BriefMutex::held_here());
  for (const auto end = processor_time() + 10'000'000'000; !asked && processor_time() < end;) {
  }
  EXPECT_TRUE(asked);
}

TEST(Throttle, WhatWasUsedIsSleptOffAtTheEnd) {
  Throttle throttle({[] { return 0.5; }, [] { return false; }});
  const auto wall = wall_time();
  const auto processor = processor_time();
  compute(10'000'000);
  throttle.settle();
  EXPECT_GE(wall_time() - wall, 19 * (processor_time() - processor) / 10);
}

}  // namespace
}  // namespace trawl
