// A PE that fished in vain learns of new sparks without fishing again.
#include <gtest/gtest.h>

#include "lang/trawl.hpp"
#include "rts/simulate.hpp"

namespace trawl {
namespace {

constexpr Nanos milli = 1'000'000;

struct Seen {
  int pe = -1;
  long begun_us = 0;
};

Seen look(long micros) {
  const auto begun = Simulation::clock_here() / 1000;
  Simulation::work(micros * 1000);
  return {Simulation::here(), begun};
}

/// PEs whose fish wait for minutes once they came home empty a few times.
Simulation::Config patient_grid(int pes) {
  Simulation::Config config;
  config.net.pes = pes;
  config.options.fish_delay = 1000;
  config.options.fish_delay_max = 600'000'000;
  return config;
}

TEST(Bait, AnIdlePeIsToldOfTheFirstSpark) {
  Simulation grid(patient_grid(2));
  grid.run([] {
    Simulation::work(60'000 * milli);
    const auto made = Simulation::clock_here() / 1000;
    const auto x = par(lazy<look>(1000L));
    Simulation::work(20 * milli);
    EXPECT_EQ(force(x).pe, 1);
    EXPECT_LT(force(x).begun_us - made, 5000);
  });
  grid.settle();
}

TEST(Bait, CallsCountAsWell) {
  Simulation grid(patient_grid(2));
  grid.run([] {
    Simulation::work(60'000 * milli);
    auto x = spawn<look>(1000L);
    Simulation::work(20 * milli);
    EXPECT_EQ(x.sync().pe, 1);
  });
  grid.settle();
}

TEST(Bait, EachOfManyIdlePesGetsOne) {
  constexpr int pes = 8;
  Simulation grid(patient_grid(pes));
  grid.run([] {
    Simulation::work(60'000 * milli);
    std::vector<Lazy<Seen>> sparks;
    for (int i = 0; i < 2 * pes; ++i) sparks.push_back(par(lazy<look>(50'000L)));
    Simulation::work(50 * milli);
    std::vector<int> ran(pes);
    for (const auto& spark : sparks) ++ran[static_cast<std::size_t>(force(spark).pe)];
    for (int pe = 1; pe < pes; ++pe) EXPECT_GE(ran[static_cast<std::size_t>(pe)], 1) << pe;
  });
  grid.settle();
}

}  // namespace
}  // namespace trawl
