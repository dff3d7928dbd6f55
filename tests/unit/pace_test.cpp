// What a PE gets of its cores, and that it is treated so.
#include "rts/pace.hpp"

#include <gtest/gtest.h>
#include <trawl/lazy.hpp>

#include "rts/simulate.hpp"
#include "tests/unit/units.hpp"

namespace trawl {
namespace {

TEST(Pace, IsTheShareOfWhatWasExpected) {
  Pace pace(0.5, 1);
  EXPECT_EQ(pace.look(10 * ms, 10 * ms, 1 * ms), 1000) << "too little to tell";
  EXPECT_EQ(pace.look(100 * ms, 100 * ms, 50 * ms), 1000);
  EXPECT_EQ(pace.look(200 * ms, 200 * ms, 75 * ms), 500);
  EXPECT_EQ(pace.look(300 * ms, 210 * ms, 85 * ms), 500);
  EXPECT_EQ(pace.look(400 * ms, 300 * ms, 175 * ms), 1000) << "more is nobody's loss";
  EXPECT_EQ(pace.look(500 * ms, 400 * ms, 175 * ms), 1) << "it stands still, but is there";
}

// Who is slow is asked for nothing: it could not show that it no longer is.
TEST(Pace, IsForgotten) {
  Pace pace(1, 1);
  EXPECT_EQ(pace.look(100 * ms, 100 * ms, 10 * ms), 100);
  EXPECT_EQ(pace.look(1'000 * ms, 110 * ms, 20 * ms), 100);
  EXPECT_EQ(pace.look(1'101 * ms, 110 * ms, 20 * ms), 1000);
}

TEST(Pace, SpareWorkersShareTheCores) {
  Pace pace(1, 2);
  EXPECT_EQ(pace.look(100 * ms, 300 * ms, 200 * ms), 1000);
  EXPECT_EQ(pace.look(200 * ms, 600 * ms, 300 * ms), 500);
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
    Simulation::work(1'900 * ms);
    EXPECT_EQ(simulation.pe(0).tables().strength_now(2), 1);
    Simulation::work(1'100 * ms);
    EXPECT_EQ(simulation.pe(0).tables().strength_now(2), 0.25);
    EXPECT_EQ(simulation.pe(1).tables().strength_now(2), 0.25);
    EXPECT_EQ(simulation.pe(2).tables().strength_now(2), 0.25);
  });
}

}  // namespace
}  // namespace trawl
