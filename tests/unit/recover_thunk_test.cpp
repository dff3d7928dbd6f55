// A thunk that has come needs what is lost, and is made again itself.
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "tests/unit/dying_grid.hpp"
#include "tests/unit/units.hpp"

namespace trawl {
namespace {

Simulation* its_grid = nullptr;

long leaf(long n) {
  Simulation::work(4000 * ms);
  return n;
}

/// It has come when all die who have the part, or have told of it.
long needs(const Lazy<long>& part) {
  test::kill_others(*its_grid);
  return force(part) + 1;
}

struct Has {
  Lazy<long> part;
};

Has wraps(Nanos time, const Lazy<long>& part) {
  Simulation::work(time);
  return {part};
}

/// Comes to know of a part by more values than are remembered of it, and none of them makes it.
long knows(const Lazy<long>& part) {
  std::vector<Lazy<Has>> all;
  for (int i = 0; i < 8; ++i) all.push_back(par(lazy<wraps>(5 * ms, part)));
  Simulation::work(10 * ms);
  for (const auto& each : all) force(each);
  return 0;
}

long tells_all(const Lazy<long>& part) {
  std::vector<Lazy<long>> all;
  for (int i = 0; i < 12; ++i) all.push_back(par(lazy<knows>(part)));
  Simulation::work(30 * ms);
  long none = 0;
  for (const auto& each : all) none += force(each);
  return none;
}

struct Made {
  Lazy<long> whole;
};

/// All know of the part before they can know of what it is a part of.
Made makes(long n) {
  const auto part = par(lazy<leaf>(n));
  Simulation::work(20 * ms);
  force(par(lazy<tells_all>(part)));
  return {lazy<needs>(part)};
}

heap::SharedHeap::Cases run(std::uint64_t seed) {
  auto config = test::dying_grid_of(6);
  config.net.seed = seed;
  Simulation simulation(config);
  its_grid = &simulation;
  simulation.run([] {
    const auto made = par(lazy<makes>(41L));
    Simulation::work(10 * ms);
    EXPECT_EQ(force(force(made).whole), 42);
  });
  simulation.settle();
  test::expect_weights_conserved(simulation);
  return simulation.pe(0).shared_heap().cases();
}

// It is the root's own thread that evaluates it: that is no reason to give up. (Once it was.)
TEST(Recover, AThunkThatNeedsWhatIsLostIsMadeAgain) {
  std::uint64_t by_thunk = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    by_thunk += run(seed).by_thunk;
  }
  EXPECT_GT(by_thunk, 5U);
}

}  // namespace
}  // namespace trawl
