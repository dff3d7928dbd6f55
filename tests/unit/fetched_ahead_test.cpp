// What a PE has fetched though it had work, under its low-watermark, stays there until it is
// needed.
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "rts/simulate.hpp"
#include "rts/trace/stats.hpp"
#include "tests/unit/units.hpp"

namespace trawl {
namespace {

long piece(long millis) {
  for (long i = 0; i < millis; ++i) Simulation::work(ms);  // it polls in between
  return millis;
}

class FetchedAhead : public testing::TestWithParam<const char*> {};

TEST_P(FetchedAhead, WorkDoesNotCirculate) {
  constexpr int pes = 3;
  constexpr long sparks = 9;
  Simulation::Config config;
  config.net.pes = pes;
  config.options.policy = GetParam();
  config.options.low_watermark = 4;
  Simulation simulation(config);
  simulation.run([] {
    std::vector<Lazy<long>> pieces;
    for (long i = 0; i < sparks; ++i) pieces.push_back(par(lazy<piece>(50L + i)));
    long sum = 0;
    for (const auto& each : pieces) sum += force(each);
    EXPECT_EQ(sum, 50 * sparks + sparks * (sparks - 1) / 2);
  });
  simulation.settle();
  std::uint64_t sum = 0;
  for (int pe = 0; pe < pes; ++pe)
    sum += simulation.pe(pe).statistics()[static_cast<std::size_t>(Count::sparks_exported)];
  EXPECT_LE(sum, 2 * sparks) << "each goes to who asks first, and again to who has nothing";
}

// A FISH that was sent ahead is not held until its thief starves.
TEST(FetchedAheadByDefault, WhoHasNothingAnyMoreIsServed) {
  for (const unsigned low : {0U, 4U}) {
    Simulation::Config config;
    config.net.pes = 2;
    config.options.low_watermark = low;
    config.options.fish_delay = config.options.fish_delay_max = 10e6;  // us
    Simulation simulation(config);
    Nanos took = 0;
    simulation.run([&took] {
      std::vector<Lazy<long>> pieces;
      for (long i = 0; i < 8; ++i) pieces.push_back(par(lazy<piece>(50L)));
      piece(300);
      for (const auto& each : pieces) force(each);
      took = Simulation::clock_here();
    });
    EXPECT_LT(took, 400 * ms) << "the other one makes seven pieces of 50 ms meanwhile";
    simulation.settle();
  }
}

// In a cluster of four no fifth spark is in stock while nobody knows how long they take: it would
// lie there for as long as a thread, while others elsewhere have none.
TEST(FetchedAheadByDefault, NothingIsBeforeAThreadHasEnded) {
  constexpr int pes = 8;
  Simulation::Config config;
  config.net.pes = pes;
  config.net.latency_between = [](int from, int to) {
    return from / 4 == to / 4 ? ms / 100 : 10 * ms;
  };
  config.cluster = {"here", "here", "here", "here", "there", "there", "there", "there"};
  for (unsigned seed = 1; seed <= 10; ++seed) {
    config.net.seed = config.options.seed = seed;
    Simulation simulation(config);
    Nanos took = 0;
    simulation.run([&took] {
      std::vector<Lazy<long>> pieces;
      for (long i = 0; i < 12; ++i) pieces.push_back(par(lazy<piece>(i < 8 ? 8000L - i : 4000L)));
      for (const auto& each : pieces) force(each);
      took = Simulation::clock_here();
    });
    EXPECT_LT(took, 13'000 * ms) << "12 in two rounds, seed " << seed;
    simulation.settle();
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, FetchedAhead, testing::Values("random", "targeted", "trawl"),
                         [](const auto& policy) { return std::string(policy.param); });

}  // namespace
}  // namespace trawl
