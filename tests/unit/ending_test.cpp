// How runs end: exit codes, statistics, PEs that are late or lost.
#include "rts/life/ending.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "rts/fabric/fragments.hpp"
#include "rts/recover/alive.hpp"
#include "rts/recover/waking_time.hpp"
#include "rts/simulate.hpp"
#include "tests/unit/recording_outbox.hpp"
#include "tests/unit/units.hpp"

namespace trawl {
namespace {

using fabric::Kind;
using test::RecordingOutbox;

Statistics statistics_with(std::uint64_t sparks) {
  Statistics statistics{};
  statistics[static_cast<std::size_t>(Count::sparks_created)] = sparks;
  return statistics;
}

TEST(Ending, AllAgreeThenLeave) {
  RecordingOutbox main_box;
  RecordingOutbox other_box;
  life::Ending main(0, 2, main_box);
  life::Ending other(1, 2, other_box);
  EXPECT_FALSE(main.over(0, true));
  main.finish(7, 0, statistics_with(1), 0);
  EXPECT_FALSE(main.over(1, true));
  main_box.take().read<life::Finish>();
  other.on_finish(1, statistics_with(2), 0);
  EXPECT_FALSE(other.over(1, true));  // the main PE has still to hear it
  main.on_bye(other_box.take().read<life::Bye>(), 1);
  EXPECT_EQ(main_box.take().kind, Kind::leave);
  EXPECT_FALSE(main.over(2, false));  // LEAVE is still here
  const auto outcome = main.over(2, true);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->code, 7);
  EXPECT_EQ(outcome->error, "");
  EXPECT_EQ(outcome->statistics,
            (std::vector<std::optional<Statistics>>{statistics_with(1), statistics_with(2)}));
  other.on_leave();
  ASSERT_TRUE(other.over(3, true));
  EXPECT_EQ(other.over(3, true)->code, 0);
}

TEST(Ending, NobodyWaitsForLong) {
  RecordingOutbox box;
  life::Ending main(0, 3, box);
  main.finish(0, 10 * second, {}, 0);
  EXPECT_FALSE(main.over(10 * second, true));
  EXPECT_TRUE(main.over(12 * second, true));
  EXPECT_TRUE(main.over(12 * second, false));
}

TEST(Ending, WhoIsHeardOfIsWaitedFor) {
  RecordingOutbox box;
  life::Ending main(0, 3, box);
  main.finish(0, 0, {}, 0);
  main.on_bye({statistics_with(5)}, 1);
  main.heard(1, 900 * ms);  // it has answered already
  EXPECT_FALSE(main.over(990 * ms, true));
  EXPECT_TRUE(main.over(1100 * ms, true));
  main.heard(2, 1900 * ms);
  EXPECT_FALSE(main.over(2800 * ms, true));
  main.on_bye({statistics_with(5)}, 2);
  EXPECT_EQ(main.over(2800 * ms, true)->statistics.at(2), statistics_with(5));
}

TEST(Ending, WhoIsDeadIsNotWaitedFor) {
  RecordingOutbox box;
  life::Ending main(0, 3, box);
  main.finish(0, 0, {}, 0);
  main.dead(1);
  EXPECT_FALSE(main.over(1, true));
  main.on_bye({statistics_with(5)}, 2);
  ASSERT_TRUE(main.over(1, true));
  EXPECT_EQ(main.over(1, true)->statistics.at(1), std::nullopt);
  life::Ending other(1, 3, box);
  other.on_finish(0, {}, 0);
  other.dead(2);
  EXPECT_FALSE(other.over(1, true));
  other.dead(0);
  EXPECT_TRUE(other.over(1, true));
}

// ---- whole runs --------------------------------------------------------------------------------

Kind kind_of(std::span<const std::byte> message) {
  return static_cast<Kind>(message[fabric::Fragmenter::prefix]);
}

Simulation::Config grid(int pes) {
  Simulation::Config config;
  config.net.pes = pes;
  config.options.silence = 1;
  return config;
}

long busy(long n) {
  Simulation::work(ms);
  return n;
}

void some_work(int tasks) {
  std::vector<Lazy<long>> all;
  for (long n = 0; n < tasks; ++n) all.push_back(par(lazy<busy>(n)));
  for (const auto& x : all) force(x);
}

TEST(WholeRun, EndsWithTheProgramsCodeAndEverybodysFigures) {
  for (const int pes : {1, 2, 7}) {
    Simulation simulation(grid(pes));
    simulation.run([] { some_work(200); });
    const auto begun = simulation.now();
    const auto outcome = simulation.finish(42);
    EXPECT_EQ(outcome.code, 42);
    EXPECT_LT(simulation.now() - begun, 10 * ms);
    ASSERT_EQ(outcome.statistics.size(), static_cast<std::size_t>(pes));
    std::uint64_t converted = 0;
    for (const auto& statistics : outcome.statistics) {
      ASSERT_TRUE(statistics);
      EXPECT_GT((*statistics)[static_cast<std::size_t>(Count::idle_time)] +
                    (*statistics)[static_cast<std::size_t>(Count::busy_time)],
                0u);
      converted += (*statistics)[static_cast<std::size_t>(Count::sparks_converted)];
    }
    EXPECT_GE(converted, pes == 1 ? 0u : 100u);
  }
}

TEST(WholeRun, APeThatDoesNotSayGoodbyeKeepsNobody) {
  auto config = grid(3);
  config.net.lose = [](int from, int, std::span<const std::byte> message) {
    return from == 1 && kind_of(message) == Kind::bye;
  };
  Simulation simulation(config);
  simulation.run([] { some_work(20); });
  const auto begun = simulation.now();
  const auto outcome = simulation.finish(3);
  EXPECT_EQ(outcome.code, 3);
  EXPECT_LT(simulation.now() - begun, 2 * second);
  EXPECT_EQ(outcome.statistics.at(1), std::nullopt);
  EXPECT_NE(outcome.statistics.at(2), std::nullopt);
}

TEST(WholeRun, FiguresComeHoweverLongARoundTripTakes) {
  auto config = grid(3);
  config.options.silence = 60;
  config.net.latency = 2 * second;
  Simulation simulation(config);
  simulation.run([] { some_work(20); });
  for (const auto& statistics : simulation.finish(0).statistics) EXPECT_TRUE(statistics);
}

std::optional<Error> ended_by(Simulation& simulation, const std::function<void()>& root) {
  try {
    simulation.run(root, 100 * second);
  } catch (const Error& e) {
    return e;
  }
  return std::nullopt;
}

TEST(WholeRun, AFailureAnywhereEndsItWithItsCode) {
  for (const int pe : {0, 1, 2}) {
    Simulation simulation(grid(3));
    const auto error = ended_by(simulation, [&] {
      some_work(20);
      simulation.pe(pe).fail("the reason", 5);
      some_work(1000);
    });
    ASSERT_TRUE(error);
    EXPECT_STREQ(error->what(), "the reason");
    EXPECT_EQ(error->exit_code(), 5);
  }
}

TEST(WholeRun, ALostPeIsNamed) {
  bool dead = false;
  auto config = grid(4);
  config.options.recover = "off";
  config.net.lose = [&dead](int from, int, std::span<const std::byte>) {
    return dead && from == 2;
  };
  Simulation simulation(config);
  const auto error = ended_by(simulation, [&] {
    some_work(20);
    dead = true;
    some_work(20'000);
  });
  ASSERT_TRUE(error);
  EXPECT_EQ(std::string(error->what()).find("PE 2 is lost"), 0u) << error->what();
  EXPECT_EQ(error->exit_code(), 1);
}

TEST(WholeRun, PesThatOnlyComputeAreNotLost) {
  Simulation simulation(grid(3));
  EXPECT_FALSE(ended_by(simulation, [] { Simulation::work(20 * second); }));
}

std::vector<long> long_value(long size) {
  return std::vector<long>(static_cast<std::size_t>(size), size);
}

// What it says of itself comes behind 3 MB, at a megabyte a second.
TEST(WholeRun, APeWithALongMessageUnderWayIsNotLost) {
  auto config = grid(2);
  config.net.one_at_a_time = true;
  config.net.bytes_per_nano = 0.001;
  Simulation simulation(config);
  const auto error = ended_by(simulation, [] {
    const auto value = par(lazy<long_value>(400'000L));
    while (value.node()->state() == heap::State::unevaluated) Simulation::work(ms);
    const auto begun = Simulation::clock_here();
    EXPECT_EQ(force(value).size(), 400'000u);
    EXPECT_GT(Simulation::clock_here() - begun, 3 * second);
  });
  EXPECT_FALSE(error) << error->what();
}

TEST(WholeRun, NobodyIsLostBecauseAnotherStartsLate) {
  auto config = grid(3);
  config.net.latency_between = [first = true](int from, int to) mutable {
    return from == 2 && to == 0 && std::exchange(first, false) ? 5 * second : 10'000;
  };
  Simulation simulation(config);
  const auto error = ended_by(simulation, [] { some_work(200); });
  EXPECT_FALSE(error) << error->what();
  EXPECT_GT(simulation.now(), 5 * second);
}

TEST(Alive, TheMainPeWatchesAllTheyWatchTheMainPe) {
  recover::Alive main(0, 3, second);
  recover::Alive other(1, 3, second);
  EXPECT_EQ(main.to_ping(1), (std::vector<int>{1, 2}));
  EXPECT_EQ(main.to_ping(2), std::vector<int>{});  // not again so soon
  EXPECT_EQ(main.to_ping(second), (std::vector<int>{1, 2}));
  EXPECT_EQ(other.to_ping(1), std::vector<int>{0});
  main.heard(1, second);
  EXPECT_EQ(main.lost(second), std::nullopt);
  EXPECT_EQ(main.lost(second + 1), 2);
  other.heard(0, second);
  EXPECT_EQ(other.lost(2 * second), std::nullopt);
  EXPECT_EQ(other.lost(2 * second + 1), 0);
}

TEST(WakingTime, ATimeOfStandingStillIsNotHeldAgainstOthers) {
  recover::WakingTime awake(5 * second);
  awake.look(5 * second + 1000);
  awake.look(5 * second + 3000);
  EXPECT_EQ(awake.now(), 3000);
  awake.look(500 * second);
  EXPECT_EQ(awake.now(), 3000 + recover::WakingTime::longest_look);
  awake.look(400 * second);  // a clock that steps back
  EXPECT_EQ(awake.now(), 3000 + recover::WakingTime::longest_look);
  awake.look(400 * second + 7);
  EXPECT_EQ(awake.now(), 3007 + recover::WakingTime::longest_look);
}

}  // namespace
}  // namespace trawl
