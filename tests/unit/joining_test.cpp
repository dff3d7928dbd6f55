// PEs come while a program runs, and go again: the answers stay the same.
//
// Everything follows from a seed. To repeat one: TRAWL_TEST_JOINING_SEED=n, or some: n-m.
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "tests/unit/dying_grid.hpp"
#include "tests/unit/random_graph.hpp"
#include "tests/unit/random_grid.hpp"

namespace trawl {
namespace {

using test::below;
using test::fib;
using test::graphs;
using test::Random;
using test::RandomGraph;

std::uint64_t count_of(Simulation& simulation, int pe, Count what) {
  return simulation.pe(pe).statistics()[static_cast<std::size_t>(what)];
}

Simulation::Config grid_of(int pes, int late) {
  auto config = test::dying_grid_of(pes);
  config.net.late = late;
  return config;
}

TEST(Joining, ANewcomerHasWorkAtOnce) {
  for (const int pes : {2, 3, 6}) {
    Simulation simulation(grid_of(pes, 1));
    simulation.run([&] {
      EXPECT_EQ(fib(8), 21);
      EXPECT_TRUE(simulation.pe(0).life().is_to_come(pes - 1));
      simulation.net().come();
      EXPECT_EQ(fib(14), 377);
    });
    EXPECT_GT(count_of(simulation, pes - 1, Count::sparks_imported), 0U);
    for (int pe = 0; pe < pes - 1; ++pe) {
      EXPECT_EQ(count_of(simulation, pe, Count::pes_joined), 1U);
      EXPECT_FALSE(simulation.pe(pe).life().is_gone(pes - 1));
    }
    const auto outcome = simulation.finish(0);
    EXPECT_EQ(outcome.statistics.size(), static_cast<std::size_t>(pes));
    EXPECT_TRUE(outcome.statistics.back());
  }
}

/// In round trips.
struct Waits {
  double to_be_member = 0;
  double then_for_work = 0;
};

// All others have work already.
Waits waits_of_newcomer(int pes) {
  constexpr Nanos latency = 3'000'000;
  auto config = grid_of(pes, 1);
  config.net.latency = latency;
  Simulation simulation(config);
  Nanos came = 0;
  Nanos joined = 0;
  Nanos works = 0;
  simulation.run([&] {
    auto rest = spawn<fib>(27L);
    const auto all_have_work = Simulation::clock_here() + 6 * latency;
    while (works == 0) {
      Simulation::work(10'000);
      const auto now = Simulation::clock_here();
      if (came == 0 && now > all_have_work) {
        simulation.net().come();
        came = now;
      }
      if (joined == 0 && simulation.pe(pes - 1).joined()) joined = now;
      if (count_of(simulation, pes - 1, Count::sparks_imported) != 0) works = now;
    }
    EXPECT_EQ(rest.sync(), 196'418);
  });
  simulation.finish(0);
  constexpr double round_trip = 2 * latency;
  return {static_cast<double>(joined - came) / round_trip,
          static_cast<double>(works - joined) / round_trip};
}

TEST(Joining, ANewcomerHasWorkWithinTwoRoundTrips) {
  int later = 0;
  for (int pes = 2; pes < 30; pes += 3) {
    SCOPED_TRACE(pes);
    const auto waits = waits_of_newcomer(pes);
    EXPECT_LT(waits.to_be_member, 2.4);
    EXPECT_LT(waits.then_for_work, 3.1);
    if (waits.then_for_work > 2.1) ++later;
  }
  EXPECT_LE(later, 1);
}

TEST(Joining, SeatsMayStayEmpty) {
  Simulation simulation(grid_of(5, 4));
  simulation.run([&] {
    simulation.net().come();
    EXPECT_EQ(fib(12), 144);
  });
  EXPECT_EQ(simulation.finish(7).code, 7);
}

// Who leaves hears of a newcomer when it is done already, and tells him.
TEST(Joining, ANewcomerKeepsNobodyWhoLeaves) {
  for (Nanos later = 0; later < 1'000'000; later += 20'000) {
    auto config = grid_of(4, 1);
    config.net.latency = 200'000;
    Simulation simulation(config);
    simulation.run([&] {
      EXPECT_EQ(fib(8), 21);
      simulation.net().come();
      while (!simulation.pe(0).life().is_joining(3)) Simulation::work(1'000);
      Simulation::work(later);
      simulation.pe(1).leave();
      const auto begun = Simulation::clock_here();
      while (!simulation.pe(0).life().is_gone(1)) Simulation::work(100'000);
      EXPECT_LT(Simulation::clock_here() - begun, 100'000'000);
    });
    EXPECT_EQ(simulation.finish(0).code, 0);
  }
}

// It has not introduced itself yet.
TEST(Joining, WhoComesTooLateIsToldAtOnce) {
  Simulation simulation(grid_of(3, 1));
  simulation.run([&] {
    EXPECT_EQ(fib(8), 21);
    simulation.net().come();
    while (!simulation.pe(0).life().is_joining(2)) Simulation::work(1'000);
  });
  const auto over = simulation.now();
  EXPECT_EQ(simulation.finish(7).code, 7);
  EXPECT_LT(simulation.now() - over, 100'000'000);
}

// Some while the run ends, some when it has ended: nobody waits for them.
TEST(Joining, SomeComeAtTheEnd) {
  for (Nanos at_work = 10'000'000; at_work < 200'000'000; at_work += 10'000'000) {
    SCOPED_TRACE(at_work);
    Simulation::Config config;
    config.options.silence = 1e6;  // as in all simulated runs of programs
    config.net.grid = fabric::parse_grid(R"({
        "clusters": [{"pes": 4, "latency": "20 us", "name": "a"}, {"pes": 6, "name": "b"}],
        "between": {"latency": "20 ms"},
        "joins": [{"pe": 4, "at": "2 ms"}, {"pe": 5, "at": "45 ms"}, {"pe": 6, "at": "48 ms"},
                  {"pe": 7, "at": "139 ms"}, {"pe": 8, "at": "146 ms"}, {"pe": 9, "at": "147 ms"}],
        "deaths": [{"pe": 5, "at": "127 ms"}]})",
                                         "grid");
    Simulation simulation(config);
    simulation.run([at_work] { Simulation::work(at_work); });
    EXPECT_EQ(simulation.finish(0).code, 0);
  }
}

// Each is a change of the first view: who has not heard of it yet is far behind.
TEST(Joining, SeatsMayBeMany) {
  for (const int late : {1, 63, 64, 65, 100, 127, 128, 129, 300}) {
    SCOPED_TRACE(late);
    Simulation simulation(grid_of(2 + late, late));
    simulation.run([&] {
      simulation.net().come();
      EXPECT_EQ(fib(12), 144);
    });
    EXPECT_EQ(count_of(simulation, 0, Count::pes_joined), 1U);
    EXPECT_EQ(simulation.finish(7).code, 7);
  }
}

TEST(Joining, OneComesAsAnotherLeaves) {
  Simulation simulation(grid_of(4, 2));
  simulation.run([&] {
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(fib(10), 55);
      simulation.net().come();
      simulation.pe(1).leave();
      EXPECT_EQ(fib(12), 144);
      simulation.pe(i + 2).leave();
    }
    EXPECT_EQ(fib(12), 144);
  });
  EXPECT_EQ(count_of(simulation, 0, Count::pes_left), 3U);
  EXPECT_EQ(count_of(simulation, 0, Count::thunks_revived), 0U);
  EXPECT_EQ(simulation.finish(0).code, 0);
}

struct Sum {
  std::uint64_t joined = 0;
  std::uint64_t left = 0;
  std::uint64_t not_made_again = 0;
};

// At random messages PEs come, leave and die.
Sum run(std::uint64_t seed) {
  Random random(seed);
  const RandomGraph graph(random);
  auto config = test::random_grid(random, seed);
  config.net.late = static_cast<int>(below(random, static_cast<std::uint64_t>(config.net.pes)));
  if (config.net.late == 0) return {};
  config.net.notice = 10'000;
  Simulation* grid = nullptr;
  Random dice(seed);
  config.net.lose = [&](int, int, std::span<const std::byte>) {
    if (grid == nullptr || !grid->pe(0).joined() || below(dice, 8) != 0) return false;
    const auto what = below(dice, 4);
    const auto who =
        1 + static_cast<int>(below(dice, static_cast<std::uint64_t>(config.net.pes - 1)));
    if (what < 2) grid->net().come();
    if (what == 2 && grid->pe(who).joined()) grid->pe(who).leave();
    if (what == 3 && below(dice, 4) == 0 && !grid->net().is_late(who)) grid->net().kill(who);
    return false;
  };
  Simulation simulation(config);
  grid = &simulation;
  constexpr Nanos long_enough = 600'000'000'000;
  try {
    simulation.run([&] { EXPECT_EQ(graph.evaluate(random), graph.plain()); }, long_enough);
    EXPECT_EQ(simulation.finish(3).code, 3);
  } catch (const Error& e) {  // several have gone that had all of something
    const std::string why = e.what();
    EXPECT_NE(why.find("was lost with a PE, and can't be made again"), std::string::npos) << why;
    return {.not_made_again = 1};
  }
  return {count_of(simulation, 0, Count::pes_joined), count_of(simulation, 0, Count::pes_left), 0};
}

TEST(Joining, TheAnswersAreTheSame) {
  Sum sum;
  const auto [from, to] = test::seeds("TRAWL_TEST_JOINING_SEED", graphs);
  for (auto seed = from; seed < to && !HasFailure(); ++seed) {
    SCOPED_TRACE("TRAWL_TEST_JOINING_SEED=" + std::to_string(seed));
    const auto came = run(seed);
    sum.joined += came.joined;
    sum.left += came.left;
    sum.not_made_again += came.not_made_again;
  }
  if (std::getenv("TRAWL_TEST_JOINING_SEED") != nullptr) {
    std::printf("%lu joined, %lu left, %lu not made again\n", sum.joined, sum.left,
                sum.not_made_again);
    return;
  }
  EXPECT_EQ(sum.not_made_again, 0U);
  EXPECT_GT(sum.joined, graphs / 4);
  EXPECT_GT(sum.left, graphs / 8);
}

}  // namespace
}  // namespace trawl
