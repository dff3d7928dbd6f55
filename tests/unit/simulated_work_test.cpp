// What work takes on a simulated grid.
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "rts/simulate.hpp"
#include "tests/unit/units.hpp"

namespace trawl {
namespace {

long of_length(Nanos time) {
  Simulation::work(time);
  return 1;
}

/// How long so many tasks of this length take, which have no parts.
Nanos time_of(int tasks, Nanos length, int pes, std::uint64_t seed) {
  Simulation::Config config;
  config.net.pes = pes;
  config.net.seed = seed;
  Simulation simulation(config);
  Nanos took = 0;
  simulation.run([&] {
    std::vector<Lazy<long>> all;
    for (int i = 0; i < tasks; ++i) all.push_back(par(lazy<of_length>(length)));
    for (const auto& one : all) force(one);
    took = Simulation::clock_here();
  });
  return took;
}

// A thread that is woken while its worker is in a long function goes on on a spare one, which takes
// nothing of the other's work but time.
TEST(SimulatedWork, SpareWorkersDoNoneOfIt) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    EXPECT_GE(time_of(5, 100 * ms, 4, seed), 200 * ms) << seed;
    EXPECT_GE(time_of(9, 100 * ms, 4, seed), 300 * ms) << seed;
    EXPECT_GE(time_of(3, 1'000 * ms, 2, seed), 2'000 * ms) << seed;
  }
}

}  // namespace
}  // namespace trawl
