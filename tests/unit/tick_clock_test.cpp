// The clock of recordings.
#include "rts/host/tick_clock.hpp"

#include <gtest/gtest.h>

#include "rts/host/clocks.hpp"

namespace trawl {
namespace {

TEST(TickClock, GoesAsFastAsTheSystemsClock) {
  const TickClock clock;
  const auto before = wall_time();
  const auto begin = clock.now();
  const auto after = wall_time();
  while (wall_time() - after < 20'000'000) {
  }
  const auto last = wall_time();
  const auto took = clock.now() - begin;
  EXPECT_GE(static_cast<double>(took), 0.995 * static_cast<double>(last - after));
  EXPECT_LE(static_cast<double>(took), 1.005 * static_cast<double>(wall_time() - before));
}

}  // namespace
}  // namespace trawl
