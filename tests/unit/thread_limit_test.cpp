// --trawl:thread-limit: so many threads of a PE are alive at once, runnable and blocked.
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "rts/simulate.hpp"
#include "tests/unit/units.hpp"

namespace trawl {
namespace {

Simulation* grid = nullptr;
unsigned most_alive = 0;

long far_away(long millis) {
  Simulation::work(millis * ms);
  return millis;
}

/// Blocks for as long as somebody evaluates `x`.
long waits_for(const Lazy<long>& x) {
  most_alive = std::max(most_alive, grid->pe(Simulation::here()).workers().live_threads());
  return force(x);
}

/// How many threads the main PE has at most, whose root has made 20 sparks that block.
unsigned threads_at(unsigned limit) {
  Simulation::Config config;
  config.net.pes = 2;
  config.options.thread_limit = limit;
  Simulation simulation(config);
  grid = &simulation;
  most_alive = 0;
  simulation.run([] {
    const auto x = par(lazy<far_away>(100L));
    Simulation::work(10 * ms);  // the other PE is at it
    std::vector<Lazy<long>> waiting;
    for (int i = 0; i < 20; ++i) waiting.push_back(par(lazy<waits_for>(x)));
    EXPECT_EQ(force(x), 100);
    for (const auto& each : waiting) EXPECT_EQ(force(each), 100);
  });
  simulation.settle();
  return most_alive;
}

TEST(ThreadLimit, NoMoreThreadsAreAlive) {
  for (const unsigned limit : {1U, 2U, 3U, 7U}) EXPECT_EQ(threads_at(limit), limit);
  EXPECT_GT(threads_at(1024), 10U);
}

}  // namespace
}  // namespace trawl
