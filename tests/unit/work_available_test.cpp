// A PE that fished in vain gets new sparks without fishing again: its FISH is kept where it ended,
// and where it passed it is remembered.
#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "rts/simulate.hpp"
#include "tests/unit/units.hpp"

namespace trawl {
namespace {

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

TEST(WorkAvailable, AnIdlePeIsToldOfTheFirstSpark) {
  Simulation grid(patient_grid(2));
  grid.run([] {
    Simulation::work(60'000 * ms);
    const auto made = Simulation::clock_here() / 1000;
    const auto x = par(lazy<look>(1000L));
    Simulation::work(20 * ms);
    EXPECT_EQ(force(x).pe, 1);
    EXPECT_LT(force(x).begun_us - made, 5000);
  });
  grid.settle();
}

std::uint64_t fish_sent(Simulation& grid, int pe) {
  return grid.pe(pe).statistics()[static_cast<std::size_t>(Count::fish_sent)];
}

TEST(KeptFish, IsAnsweredWithTheFirstSpark) {
  Simulation grid(patient_grid(2));
  grid.run([&] {
    Simulation::work(60'000 * ms);
    const auto sent = fish_sent(grid, 1);
    const auto x = par(lazy<look>(1000L));
    Simulation::work(ms / 2);
    EXPECT_EQ(x.evaluated() ? 0U : fish_sent(grid, 1), sent);
    Simulation::work(ms);
    EXPECT_EQ(force(x).pe, 1);
  });
  grid.settle();
}

TEST(KeptFish, GoesHomeWhenItsPatienceEnds) {
  auto config = patient_grid(2);
  config.options.fish_delay_max = config.options.fish_delay;  // 1 ms
  Simulation grid(config);
  grid.run([&] {
    const auto sent = fish_sent(grid, 1);
    Simulation::work(1000 * ms);
    EXPECT_GT(fish_sent(grid, 1), sent + 400);
    EXPECT_LT(fish_sent(grid, 1), sent + 1100);
  });
  grid.settle();
}

TEST(WorkAvailable, CallsCountAsWell) {
  Simulation grid(patient_grid(2));
  grid.run([] {
    Simulation::work(60'000 * ms);
    auto x = spawn<look>(1000L);
    Simulation::work(20 * ms);
    EXPECT_EQ(x.sync().pe, 1);
  });
  grid.settle();
}

TEST(WorkAvailable, EachOfManyIdlePesGetsOne) {
  constexpr int pes = 8;
  Simulation grid(patient_grid(pes));
  grid.run([] {
    Simulation::work(60'000 * ms);
    std::vector<Lazy<Seen>> sparks;
    sparks.reserve(2 * pes);
    for (int i = 0; i < 2 * pes; ++i) sparks.push_back(par(lazy<look>(50'000L)));
    Simulation::work(50 * ms);
    std::vector<int> ran(pes);
    for (const auto& spark : sparks) ++ran[static_cast<std::size_t>(force(spark).pe)];
    for (int pe = 1; pe < pes; ++pe) EXPECT_GE(ran[static_cast<std::size_t>(pe)], 1) << pe;
  });
  grid.settle();
}

}  // namespace
}  // namespace trawl
