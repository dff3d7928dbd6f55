// How runs begin and end: introductions, exit codes, statistics, PEs that are late or lost.
#include "rts/life/ending.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "rts/fabric/fragments.hpp"
#include "rts/heap/code.hpp"
#include "rts/life/start.hpp"
#include "rts/options/flags.hpp"
#include "rts/recover/alive.hpp"
#include "rts/recover/waking_time.hpp"
#include "rts/simulate.hpp"
#include "tests/unit/units.hpp"

namespace trawl {
namespace {

using fabric::Kind;

/// Keeps what it should send.
class RecordingOutbox final : public fabric::Outbox {
 public:
  struct Letter {
    int to;
    Kind kind;
    Bytes bytes;
    template <class Message>
    Message read(const fabric::Envelope& envelope = {}) const {
      EXPECT_EQ(kind, Message::kind);
      Reader reader(std::span<const std::byte>(bytes).subspan(1));
      return Message::read(reader, envelope);
    }
  };

  Writer open(Kind kind, int) override {
    Writer message;
    message.put(kind);
    return message;
  }
  void send(int to, Writer message) override {
    const auto kind = static_cast<Kind>(message.view()[0]);
    const auto bytes = message.view();
    letters.push_back({to, kind, Bytes(bytes.begin(), bytes.end())});
  }
  Letter take() {
    auto first = std::move(letters.front());
    letters.erase(letters.begin());
    return first;
  }

  std::vector<Letter> letters;
};

// ---- start -------------------------------------------------------------------------------------

struct Starting {
  Starting(int self, int pes, const life::Introduction& own)
      : tables(self, pes), start(self, pes, own, tables, outbox) {}

  balance::Tables tables;
  RecordingOutbox outbox;
  life::Start start;
};

/// Two PEs; the other's clock is `ahead` of the main PE's. A message takes `to_main` or
/// `from_main`.
class TwoPes {
 public:
  explicit TwoPes(Nanos ahead) : ahead_(ahead) {
    main.start.begin(time_);
    other.start.begin(time_ + ahead);
  }

  void talk(const std::vector<Nanos>& latencies) {
    std::size_t turn = 0;
    while (!main.outbox.letters.empty() || !other.outbox.letters.empty()) {
      time_ += latencies[turn++ % latencies.size()];
      if (!other.outbox.letters.empty()) {
        const auto letter = other.outbox.take();
        deliver(letter, main.start, 1, time_);
      } else {
        const auto letter = main.outbox.take();
        deliver(letter, other.start, 0, time_ + ahead_);
      }
    }
  }

  Starting main{0, 2, {2.0, 4, "big", "west"}};
  Starting other{1, 2, {0.5, 1, "small", "east"}};

 private:
  static void deliver(const RecordingOutbox::Letter& letter, life::Start& to, int from, Nanos now) {
    switch (letter.kind) {
      case Kind::hello:
        return to.on_hello(letter.read<life::Hello>(), from, now);
      case Kind::ping:
        return to.on_ping(letter.read<life::Ping>(), from, now);
      case Kind::pong:
        return to.on_pong(letter.read<life::Pong>(), from, now);
      case Kind::welcome:
        return to.on_welcome(letter.read<life::Welcome>({0, 1, 2}), now);
      default:
        FAIL() << "unexpected " << fabric::name_of(letter.kind);
    }
  }

  Nanos ahead_;
  Nanos time_ = second;
};

TEST(Start, PesLearnAboutEachOther) {
  TwoPes pes(0);
  EXPECT_FALSE(pes.main.start.complete());
  pes.talk({10'000});
  for (const auto* pe : {&pes.main, &pes.other}) {
    EXPECT_TRUE(pe->start.complete());
    EXPECT_EQ(pe->tables.static_of(0).speed, 2.0);
    EXPECT_EQ(pe->tables.static_of(0).cores, 4);
    EXPECT_EQ(pe->tables.static_of(1).speed, 0.5);
    EXPECT_NE(pe->tables.static_of(0).cluster, pe->tables.static_of(1).cluster);
  }
  EXPECT_EQ(pes.main.tables.latency_to(1).one_way, 10'000);
  EXPECT_EQ(pes.other.tables.latency_to(0).one_way, 10'000);
}

TEST(Start, ClocksAreComparedByTheFastestPing) {
  for (const Nanos ahead : {Nanos{0}, 5 * second, -7 * second}) {
    TwoPes even(ahead);
    even.talk({10'000});
    EXPECT_EQ(even.main.start.main_clock().offset(0), 0);
    EXPECT_EQ(even.other.start.main_clock().offset(0), -ahead);
    // Most round trips are slow on one way; one is not.
    TwoPes uneven(ahead);
    uneven.talk({1'000, 900'000, 1'000, 1'000, 1'000, 700'000, 1'000, 500'000, 1'000});
    EXPECT_EQ(uneven.other.start.main_clock().offset(0), -ahead);
  }
}

TEST(Start, AnotherProgramIsRefused) {
  Writer hello;
  hello.put(heap::CodeTable::get().digest() + 1);
  Reader reader(hello.view());
  try {
    life::Hello::read(reader, {2, 0, 3});
    FAIL() << "it was let in";
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "PE 2 runs a different program; start the same binary everywhere");
  }
}

TEST(Start, OtherOrdersAreRefused) {
  const auto meets = [](std::uint64_t own, std::uint64_t theirs) {
    Starting other(2, 3, {1, 1, "a", "b", theirs});
    other.start.begin(0);
    Starting main(0, 3, {1, 1, "a", "b", own});
    main.start.on_hello(other.outbox.take().read<life::Hello>(), 2, 0);
  };
  EXPECT_NO_THROW(meets(7, 7));
  EXPECT_NO_THROW(meets(7, 0)) << "it will say what is wrong with its own";
  EXPECT_NO_THROW(meets(0, 7));
  try {
    meets(7, 8);
    FAIL() << "it was let in";
  } catch (const Error& e) {
    EXPECT_EQ(std::string(e.what()).find("PE 2 was started with other arguments"), 0u) << e.what();
    for (const auto& flag : flags()) {
      const auto name = "--trawl:" + std::string(flag.name);
      EXPECT_TRUE(!flag.alike || !flag.needs_value() ||
                  std::string(e.what()).find(name) != std::string::npos)
          << name;
    }
    EXPECT_EQ(e.exit_code(), 2);
  }
}

TEST(Start, ImpossibleFactsAreBadBytes) {
  for (const double speed : {0.0, -1.0, std::numeric_limits<double>::infinity()}) {
    Starting other(1, 2, {speed, 1, "a", "b"});
    other.start.begin(0);
    EXPECT_THROW(other.outbox.take().read<life::Hello>(), BadBytes);
  }
}

TEST(Start, ASecondIntroductionIsBadBytes) {
  TwoPes pes(0);
  pes.other.start.begin(0);
  const auto hello = pes.other.outbox.letters.back();
  pes.other.outbox.letters.pop_back();
  pes.talk({1'000, 1'000});
  EXPECT_THROW(pes.main.start.on_hello(hello.read<life::Hello>(), 1, 0), BadBytes);
}

TEST(Start, APeAloneIsCompleteAtOnce) {
  Starting alone(0, 1, {});
  alone.start.begin(0);
  EXPECT_TRUE(alone.start.complete());
  EXPECT_TRUE(alone.outbox.letters.empty());
}

// ---- end ---------------------------------------------------------------------------------------

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
