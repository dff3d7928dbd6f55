// Who is to be slow is not made to sleep while others would wait for a lock of his.
#include "rts/host/throttle.hpp"

#include <csignal>
#include <cstdint>
#include <mutex>
#include <utility>

#include <gtest/gtest.h>
#include <unistd.h>

#include "rts/host/brief_mutex.hpp"
#include "rts/host/clocks.hpp"
#include "rts/host/locking_code.hpp"

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

TEST(Throttle, KnowsWhatCodeHoldsLocks) {
  const auto place = [](auto* function) { return reinterpret_cast<std::uintptr_t>(function); };
  const LockingCode c("libc.so");
  EXPECT_TRUE(c.contains(place(&::getpid)));  // which no sanitizer replaces
  EXPECT_FALSE(c.contains(place(&compute)));
  EXPECT_FALSE(LockingCode("libnothing.so").contains(place(&::getpid)));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they replace what it calls
// In the middle of malloc, say: it waits, but not for ever, as a program may do nothing else.
TEST(Throttle, WhoIsInsideOfTheCLibraryIsLeftAloneForAWhile) {
  volatile bool slept = false;
  volatile bool inside = false;
  volatile int asked = 0;
  const Throttle throttle({[] { return 1e-3; },
                           [&] {
                             if (inside) asked = asked + 1;
                             const bool first = !slept;
                             slept = true;
                             return first;
                           }});
  while (!slept) {
  }
  const auto raise_from_there = [&](int times) {
    for (; times > 0; --times) {
      inside = true;
      std::raise(SIGRTMIN + 8);
      inside = false;
    }
  };
  raise_from_there(25);
  EXPECT_EQ(asked, 0);
  raise_from_there(50);
  EXPECT_GT(asked, 0);
}
#endif

TEST(Throttle, WhatWasUsedIsSleptOffAtTheEnd) {
  const auto wall = wall_time();  // from its making on, what it waits is to its credit
  Throttle throttle({[] { return 0.5; }, [] { return false; }});
  const auto processor = processor_time();
  compute(10'000'000);
  throttle.settle();
  EXPECT_GE(wall_time() - wall, 19 * (processor_time() - processor) / 10);
}

TEST(Throttle, ASignalThatWasOnItsWayDoesNotCutTheLastSleepShort) {
  bool on_its_way = false;
  const auto share = [&] {
    if (std::exchange(on_its_way, false)) std::raise(SIGRTMIN + 8);
    return 0.5;
  };
  const auto wall = wall_time();
  Throttle throttle({share, [] { return false; }});
  const auto processor = processor_time();
  compute(10'000'000);
  on_its_way = true;
  throttle.settle();
  EXPECT_GE(wall_time() - wall, 19 * (processor_time() - processor) / 10);
}

}  // namespace
}  // namespace trawl
