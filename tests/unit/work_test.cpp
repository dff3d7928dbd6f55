// Declared work takes the processor's time, or moves a simulated PE's clock.
#include <algorithm>
#include <ctime>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "rts/heap/collect.hpp"
#include "rts/simulate.hpp"

namespace {

using trawl::Nanos;
using trawl::Simulation;

template <class Call>
Nanos processor_time(Call call) {
  const auto now = [] {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return Nanos{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
  };
  const auto begin = now();
  call();
  return now() - begin;
}

// The least of some tries: what else runs on the core slows some of them.
template <class Call>
Nanos least_processor_time(Call call) {
  auto least = processor_time(call);
  for (int tries = 1; tries < 20; ++tries) least = std::min(least, processor_time(call));
  return least;
}

TEST(Work, TakesTheProcessorsTime) {
  trawl::work(1);  // finds out how fast the processor is
  const auto took = least_processor_time([] { trawl::work(20'000'000); });
  EXPECT_GE(took, 20'000'000);
  EXPECT_LT(took, 25'000'000);
  // Too short to ask how much has gone: the processor may have become much slower, or faster.
  const auto pieces = least_processor_time([] {
    for (int i = 0; i < 5000; ++i) trawl::work(2000);
  });
  EXPECT_GT(pieces, 1'000'000);
  EXPECT_LT(pieces, 100'000'000);
  EXPECT_LT(least_processor_time([] { trawl::work(0), trawl::work(-5); }), 100'000);
}

/// A PE whose work is measured.
Simulation::Config one_measured() {
  Simulation::Config config;
  config.net.pes = 1;
  config.measure = true;
  return config;
}

#ifndef TRAWL_NO_COLLECTOR
struct Cell {
  long head;
  std::vector<trawl::Lazy<Cell>> tail;
};

// The process has one heap: who fills it up would pay for all PEs.
TEST(Work, CollectionsDoNotMoveASimulatedClock) {
  Simulation simulation(one_measured());
  simulation.run([] {
    trawl::Lazy<Cell> cells(Cell{0, {}});
    for (long i = 1; i < 200'000; ++i) cells = trawl::Lazy<Cell>(Cell{i, {cells}});
    const auto begin = trawl::now();
    const auto collected = trawl::heap::collecting_time_here();
    for (int i = 0; i < 5; ++i) trawl::heap::collect();
    const auto took = trawl::now() - begin;
    EXPECT_LT(took, (trawl::heap::collecting_time_here() - collected) / 2);
    EXPECT_EQ(trawl::force(cells).head, 199'999);
  });
}
#endif

TEST(Work, MovesASimulatedClock) {
  Simulation::Config config;
  config.net.pes = 1;
  config.net.speed = {2};
  Simulation simulation(config);
  simulation.run([] {
    const auto begin = trawl::now();
    EXPECT_EQ(begin, Simulation::clock_here());
    const auto took = processor_time([] { trawl::work(36'000'000'000); });
    EXPECT_LT(took, 10'000'000'000);
    const auto seconds = trawl::now() - begin;
    EXPECT_GE(seconds, 18'000'000'000);
    EXPECT_LT(seconds, 18'100'000'000);
  });
}

// What comes to it, and what is due, its progress thread looks after in time all the same.
TEST(Work, ASimulatedPeThatNothingWaitsForLooksSeldom) {
  Simulation::Config config;
  config.net.pes = 2;
  config.options.silence = 1e6;  // who looks seldom is silent
  config.options.policy = "random";
  config.options.fish_delay = config.options.fish_delay_max = 3600e6;  // PE 1 does not ask again
  Simulation simulation(config);
  simulation.run([] {
    const auto begin = trawl::now();
    trawl::work(36'000'000'000);
    const auto looking = trawl::now() - begin - 36'000'000'000;
    EXPECT_GT(looking, 36 * 500) << "five times a second";
    EXPECT_LT(looking, 36 * 5000);
  });
}

TEST(Work, MeasuredHasTakenItsTimeWhenAskedFor) {
  Simulation simulation(one_measured());
  simulation.run([] {
    const auto begin = trawl::now();
    const auto busy = processor_time([] {
      volatile int n = 0;
      for (int i = 0; i < 20'000'000; ++i) n = n + 1;
    });
    EXPECT_GE(trawl::now() - begin, busy / 2);
  });
}

TEST(Work, OutsideOfARunTheClockIsTheHosts) {
  const auto begin = trawl::now();
  trawl::work(1'000'000);
  EXPECT_GE(trawl::now() - begin, 900'000);
}

}  // namespace
