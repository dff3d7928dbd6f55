// Blocked for ever is a bug report, not a hang; and whoever is only slow is not blocked.
#include <string>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "rts/fabric/fragments.hpp"
#include "rts/simulate.hpp"
#include "tests/unit/units.hpp"

namespace trawl {
namespace {

const std::string here = "trawl::{anonymous}::";

std::string error_of(Simulation& simulation, const std::function<void()>& root) {
  try {
    simulation.run(root, 100'000 * ms);
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

Lazy<long> knot;
Lazy<long> other_knot;

long needs_itself(long n) {
  return n + force(knot);
}

TEST(Deadlock, AThunkThatNeedsItself) {
  Simulation simulation({});
  const auto error = error_of(simulation, [] {
    knot = lazy<needs_itself>(1L);
    force(knot);
  });
  EXPECT_NE(error.find("blocked for ever"), std::string::npos) << error;
  EXPECT_NE(error.find("PE 0: the program's root waits for"), std::string::npos) << error;
  EXPECT_NE(error.find("needs_itself"), std::string::npos) << error;
  EXPECT_NE(error.find("under evaluation here"), std::string::npos) << error;
}

long tick_tock(const Lazy<long>& other) {
  Simulation::work(20 * ms);
  return force(other) + Simulation::here();
}

long tick(long) {
  Simulation::work(20 * ms);
  return force(other_knot);
}
long tock(long) {
  Simulation::work(20 * ms);
  return force(knot);
}

// A global is the same on all simulated PEs, which is more than a program may expect.
TEST(Deadlock, TwoThunksThatNeedEachOther) {
  Simulation::Config config;
  config.net.pes = 3;
  Simulation simulation(config);
  const auto error = error_of(simulation, [] {
    knot = par(lazy<tick>(1L));
    other_knot = par(lazy<tock>(2L));
    Simulation::work(10 * ms);
    force(knot);
  });
  EXPECT_NE(error.find("nobody can go on"), std::string::npos) << error;
  EXPECT_NE(error.find("tick(long int) waits for " + here + "tock(long int)"), std::string::npos)
      << error;
  EXPECT_NE(error.find("tock(long int) waits for " + here + "tick(long int)"), std::string::npos)
      << error;
  EXPECT_NE(
      error.find("the program's root waits for " + here + "tick(long int), sent to another PE"),
      std::string::npos)
      << error;
}

TEST(Deadlock, ALostResume) {
  Simulation::Config config;
  config.net.pes = 2;
  bool lost = false;
  config.net.lose = [&lost](int, int, std::span<const std::byte> message) {
    const auto kind = static_cast<fabric::Kind>(message[fabric::Fragmenter::prefix]);
    return !lost && kind == fabric::Kind::resume && (lost = true);
  };
  Simulation simulation(config);
  const auto error = error_of(simulation, [] {
    const auto far_away = par(lazy<tick_tock>(Lazy<long>(5L)));
    Simulation::work(10 * ms);
    force(far_away);
  });
  EXPECT_TRUE(lost);
  EXPECT_NE(error.find("1 messages have been lost"), std::string::npos) << error;
  EXPECT_NE(error.find("the program's root waits for " + here + "tick_tock"), std::string::npos)
      << error;
  EXPECT_NE(error.find("sent to another PE"), std::string::npos) << error;
}

long works_long(long n) {
  Simulation::work(25'000 * ms);
  return n;
}

// Far longer than --trawl:silence.
TEST(Deadlock, NoFalseAlarmWhileSomebodyWorks) {
  Simulation::Config config;
  config.net.pes = 3;
  Simulation simulation(config);
  long result = 0;
  EXPECT_EQ(error_of(simulation,
                     [&] {
                       const auto far_away = par(lazy<works_long>(1L));
                       Simulation::work(10 * ms);
                       result = force(far_away) + works_long(2);
                     }),
            "");
  EXPECT_EQ(result, 3);
}

long ping_pong(long n, const Lazy<long>& start) {
  Simulation::work(ms);
  if (n == 0) return force(start);
  const auto next = par(lazy<ping_pong>(n - 1, start));
  Simulation::work(3'000 * ms);
  return force(next) + 1;
}

TEST(Deadlock, NoFalseAlarmWhileMessagesTravel) {
  Simulation::Config config;
  config.net.pes = 4;
  config.net.latency = 800 * ms;
  config.net.jitter = 400 * ms;
  config.net.reorder = true;
  Simulation simulation(config);
  long result = 0;
  EXPECT_EQ(error_of(simulation, [&] { result = ping_pong(6, lazy<works_long>(1L)); }), "");
  EXPECT_EQ(result, 7);
}

}  // namespace
}  // namespace trawl
