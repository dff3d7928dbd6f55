// What the start of a run takes, however many PEs there are and however they differ.
#include <random>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "rts/life/start.hpp"
#include "rts/simulate.hpp"

namespace trawl {
namespace {

Simulation::Config all_differ(int pes) {
  Simulation::Config config;
  config.net.pes = pes;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> speed(0.25, 4);
  for (int pe = 0; pe < pes; ++pe) {
    config.net.speed.push_back(speed(random));
    config.cluster.push_back("cluster " + std::to_string(pe / 16));
  }
  return config;
}

TEST(Welcome, BytesAtTheStartGrowWithThePesOnly) {
  constexpr int pes = 1'024;
  Simulation simulation(all_differ(pes));
  simulation.run([] {});
  EXPECT_LT(simulation.net().counters().bytes / pes, 8'192U);
}

long busy(long n) {
  Simulation::work(1'000'000);
  return n;
}

// What it was not told a PE hears.
TEST(Welcome, WhoIsHeardOfIsKnownExactly) {
  const auto config = all_differ(512);
  Simulation simulation(config);
  int heard = 0;
  simulation.run([&] {
    std::vector<Lazy<long>> all;
    for (long n = 0; n < 4'000; ++n) all.push_back(par(lazy<busy>(n)));
    for (const auto& x : all) force(x);
    const auto& tables = simulation.pe(0).tables();
    for (int pe = 1; pe < simulation.size(); ++pe) {
      if (!tables.known(pe)) continue;
      ++heard;
      const auto speed = config.net.speed[static_cast<std::size_t>(pe)];
      EXPECT_NEAR(tables.strength_now(pe) / speed, 1, 0.01);
    }
  });
  EXPECT_GT(heard, 100);
}

}  // namespace
}  // namespace trawl
