// A PE near the bound of its memory takes no work.
#include "rts/host/memory.hpp"

#include <vector>

#include <gtest/gtest.h>
#include <trawl/lazy.hpp>
#include <trawl/maps.hpp>

#include "rts/simulate.hpp"
#include "tests/unit/units.hpp"

namespace trawl {
namespace {

TEST(Memory, WhatIsTouchedIsInUse) {
  constexpr std::size_t size = std::size_t{64} << 20U;
  const auto bound = memory_of_host();
  const auto before = memory_in_use(bound, 0);
  EXPECT_GT(before, 0);
  EXPECT_LT(before, 1);
  const std::vector<char> touched(size, 1);
  const auto after = memory_in_use(bound, 0);
  EXPECT_GT(after - before, 0.9 * static_cast<double>(size) / bound);
  EXPECT_LT(memory_in_use(bound, size / 2), after);
  EXPECT_EQ(memory_in_use(bound, std::size_t{1} << 50U), 0);
  EXPECT_EQ(touched.back(), 1);
}

int on_this_pe(int) {
  Simulation::work(10 * ms);
  return Simulation::here();
}

TEST(Memory, WhoIsFullTakesNoWorkUntilThereIsRoom) {
  Simulation::Config config;
  config.net.pes = 4;
  bool full = true;
  config.memory = [&full](int pe) { return pe == 2 && full ? 0.95 : 0.5; };
  Simulation simulation(config);
  const auto begun_on = [&](int pe) { return simulation.pe(pe).statistics(); };
  const auto threads = [&](int pe) {
    return begun_on(pe)[static_cast<std::size_t>(Count::threads_created)];
  };
  const auto full_time = [&](int pe) {
    return static_cast<double>(begun_on(pe)[static_cast<std::size_t>(Count::full_time)]);
  };
  simulation.run([&] {
    const auto begun = Simulation::clock_here();
    const auto evaluate = [] {
      std::vector<Lazy<int>> all;
      for (int i = 0; i < 100; ++i) all.push_back(par(lazy<on_this_pe>(i)));
      for (auto& each : all) force(each);
    };
    Simulation::work(100 * ms);
    evaluate();
    EXPECT_EQ(threads(2), 0U);
    EXPECT_GT(threads(1), 10U);
    const auto full_for = Simulation::clock_here() - begun;
    full = false;
    evaluate();
    EXPECT_GT(threads(2), 10U);
    EXPECT_NEAR(full_time(2), static_cast<double>(full_for), 60. * ms);
    EXPECT_EQ(full_time(1), 0);
  });
}

}  // namespace
}  // namespace trawl
