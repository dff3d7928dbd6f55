// What a PE gets of its cores, and that it is treated so.
#include "rts/pace.hpp"

#include <gtest/gtest.h>
#include <trawl/lazy.hpp>

#include "rts/simulate.hpp"

namespace trawl {
namespace {

constexpr Nanos milli = 1'000'000;

TEST(Pace, IsTheShareOfWhatWasExpected) {
  Pace pace(0.5, 1);
  EXPECT_EQ(pace.look(10 * milli, 10 * milli, 1 * milli), 1000) << "too little to tell";
  EXPECT_EQ(pace.look(100 * milli, 100 * milli, 50 * milli), 1000);
  EXPECT_EQ(pace.look(200 * milli, 200 * milli, 75 * milli), 500);
  EXPECT_EQ(pace.look(300 * milli, 210 * milli, 85 * milli), 500);
  EXPECT_EQ(pace.look(400 * milli, 300 * milli, 175 * milli), 1000) << "more is nobody's loss";
  EXPECT_EQ(pace.look(500 * milli, 400 * milli, 175 * milli), 1) << "it stands still, but is there";
}

// Who is slow is asked for nothing: it could not show that it no longer is.
TEST(Pace, IsForgotten) {
  Pace pace(1, 1);
  EXPECT_EQ(pace.look(100 * milli, 100 * milli, 10 * milli), 100);
  EXPECT_EQ(pace.look(1'000 * milli, 110 * milli, 20 * milli), 100);
  EXPECT_EQ(pace.look(1'101 * milli, 110 * milli, 20 * milli), 1000);
}

TEST(Pace, SpareWorkersShareTheCores) {
  Pace pace(1, 2);
  EXPECT_EQ(pace.look(100 * milli, 300 * milli, 200 * milli), 1000);
  EXPECT_EQ(pace.look(200 * milli, 600 * milli, 300 * milli), 500);
}

// Within a second of being slowed down, all know.
TEST(Pace, OthersHearOfIt) {
  Simulation::Config config;
  config.net.grid = fabric::parse_grid(R"({
    "clusters": [{"name": "one", "pes": 3, "latency": "1 ms", "bandwidth": "1 GB/s"}],
    "speed_changes": [{"pe": 2, "at": "2 s", "speed": 0.25}]})",
                                       "three");
  config.net.pes = 3;
  Simulation simulation(config);
  simulation.run([&] {
    Simulation::work(1'900 * milli);
    EXPECT_EQ(simulation.pe(0).tables().strength_now(2), 1);
    Simulation::work(1'100 * milli);
    EXPECT_EQ(simulation.pe(0).tables().strength_now(2), 0.25);
    EXPECT_EQ(simulation.pe(1).tables().strength_now(2), 0.25);
    EXPECT_EQ(simulation.pe(2).tables().strength_now(2), 0.25);
  });
}

}  // namespace
}  // namespace trawl
