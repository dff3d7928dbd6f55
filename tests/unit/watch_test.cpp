// A run is watched: who is asked, what is shown, what is said.
#include "rts/watch/watch.hpp"

#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <trawl/trawl.hpp>
#include <unistd.h>

#include "profiles/top/runs.hpp"
#include "rts/inline/error.hpp"
#include "rts/simulate.hpp"
#include "tests/unit/units.hpp"

namespace trawl::watch {
namespace {

using trace::Presence;

constexpr Nanos tenth = second / 10;

/// What was sent, and to whom.
class Sent final : public fabric::Outbox {
 public:
  Writer open(fabric::Kind kind, int) override {
    kind_ = kind;
    return Writer();
  }
  void send(int to, Writer) override { all.emplace_back(kind_, to); }

  std::vector<std::pair<fabric::Kind, int>> all;

 private:
  fabric::Kind kind_{};
};

trace::Pulse some_pulse() {
  trace::Pulse pulse;
  pulse.sparks_converted = 100;
  pulse.busy = 1;
  pulse.mutator = 3'000'000'000;
  pulse.idle = 1'000'000'000;
  return pulse;
}

/// The main PE of three.
struct MainPe {
  explicit MainPe(bool progress = false)
      : watch({true, progress, "program", "host"}, tables, sent, some_pulse) {}

  balance::Tables tables{0, 3};
  Sent sent;
  Watch watch;
};

top::Look look_here() {
  return top::Look(top::run_of(getpid()));
}

TEST(Watch, NobodyIsAskedUntilSomebodyLooks) {
  MainPe pe;
  for (Nanos time = 0; time < 5 * second; time += tenth) pe.watch.look(time);
  EXPECT_TRUE(pe.sent.all.empty());
  {
    const auto look = look_here();
    EXPECT_TRUE(look.runs());
    EXPECT_FALSE(look.table());
    for (Nanos time = 5 * second; time < 7 * second; time += tenth) pe.watch.look(time);
  }
  const auto asked = std::exchange(pe.sent.all, {});
  EXPECT_EQ(asked.size(), 4U) << "two others, once a second";
  for (const auto& [kind, to] : asked) EXPECT_EQ(kind, fabric::Kind::look);
  for (Nanos time = 7 * second; time < 9 * second; time += tenth) pe.watch.look(time);
  EXPECT_TRUE(pe.sent.all.empty());
}

TEST(Watch, ShowsWhatOthersAnswer) {
  MainPe pe;
  const auto look = look_here();
  pe.watch.look(0);
  auto slow = some_pulse();
  slow.pace = 200;
  pe.watch.on_pulse({slow}, 2, tenth / 2);
  pe.watch.look(tenth);
  auto table = look.table();
  ASSERT_TRUE(table);
  EXPECT_EQ(trace::text_of(table->head.program), "program");
  EXPECT_EQ(table->head.pid, getpid());
  ASSERT_EQ(table->rows.size(), 3U);
  EXPECT_EQ(table->rows[0].pulse.sparks_converted, 100U);
  EXPECT_FALSE(table->rows[1].has_pulse());
  EXPECT_EQ(table->rows[2].heard, tenth / 2);
  EXPECT_EQ(table->rows[2].pulse.pace, 200U);

  pe.watch.set_presence(1, Presence::lost);
  pe.watch.set_presence(2, Presence::left);
  pe.watch.look(2 * tenth);
  table = look.table();
  EXPECT_EQ(table->rows[1].presence, Presence::lost);
  EXPECT_EQ(table->rows[2].presence, Presence::left);
  EXPECT_EQ(table->head.stage, trace::Stage::runs);

  pe.watch.end(second, {});
  EXPECT_EQ(look.table()->head.stage, trace::Stage::over);
}

// Else all would seem to have been silent since then.
TEST(Watch, ForgetsWhatIsOldWhenItIsLookedAtAgain) {
  MainPe pe;
  {
    const auto look = look_here();
    pe.watch.look(0);
    pe.watch.on_pulse({some_pulse()}, 1, 1);
    pe.watch.look(tenth);
    EXPECT_TRUE(look.table()->rows[1].has_pulse());
  }
  const auto look = look_here();
  pe.watch.look(60 * second);
  pe.watch.look(60 * second + tenth);
  EXPECT_FALSE(look.table()->rows[1].has_pulse());
  EXPECT_EQ(look.table()->head.since, 60 * second);
}

TEST(Watch, AnswersWhenAsked) {
  const balance::Tables tables(1, 3);
  Sent sent;
  Watch watch({true, true, "program", "host"}, tables, sent, some_pulse);
  EXPECT_FALSE(watch.on()) << "only the main PE shows anything";
  watch.on_look();
  ASSERT_EQ(sent.all.size(), 1U);
  EXPECT_EQ(sent.all[0], std::pair(fabric::Kind::pulse, 0));
}

TEST(Watch, GoesWithItsProcess) {
  std::optional<MainPe> pe(std::in_place);
  const auto look = look_here();
  EXPECT_TRUE(look.runs());
  pe.reset();
  EXPECT_FALSE(look.runs());
  EXPECT_THROW(top::run_of(getpid()), Error) << "nothing is left behind";
}

TEST(Watch, WhatIsNoTableIsRefused) {
  Window window;
  const auto look = look_here();
  window.show(std::as_bytes(std::span("what is this?")));
  try {
    look.table();
    FAIL() << "expected an error";
  } catch (const Error& e) {
    EXPECT_EQ(e.what(), "what process " + std::to_string(getpid()) +
                            " shows can't be read: it is no table of a run");
    EXPECT_EQ(e.exit_code(), 1);
  }
}

TEST(Watch, WhatIsShownMayGetShorter) {
  trace::Table table;
  table.head.pid = getpid();
  table.rows.resize(2);
  table.links = {{0, 1, 1'000, 0}, {0, 2, 1'000, 0}};
  Window window;
  const auto look = look_here();
  window.show(trace::encode(table));
  EXPECT_EQ(look.table(), table);
  table.links.pop_back();
  window.show(trace::encode(table));
  EXPECT_EQ(look.table(), table);
}

// Nobody would answer a reader that the main PE can't see.
TEST(Watch, WhoCanNotBeSeenLookingIsTold) {
  const Window window;
  const auto run = top::run_of(getpid());
  const int other = open(run.memory.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(other, 0);
  auto lock = trace::one_byte(F_WRLCK, trace::looking_byte);
  ASSERT_EQ(fcntl(other, F_OFD_SETLK, &lock), 0);
  EXPECT_THROW(top::Look{run}, Error);
  close(other);
  EXPECT_NO_THROW(top::Look{run});
}

// ---- --trawl:progress --------------------------------------------------------------------------

TEST(Progress, IsALine) {
  const Progress now{.pes = 2,
                     .silent = 1,
                     .workers = 4,
                     .busy = 3,
                     .sparks = 12'345,
                     .done = 5'000,
                     .threads = 99,
                     .heap = 312'000'000,
                     .rate = 1'999.9,
                     .idle = 0.25};
  EXPECT_EQ(progress_line(now, 4 * second),
            "trawl: 4 s: 2 PEs, 3 of 4 workers busy, idle 25.0 %; 12,345 sparks wait, 5,000 done "
            "(2,000/s), 99 threads; heap 312 MB; 1 silent");
}

/// What a PE says so many seconds after its begin: 100 sparks a second, idle for a quarter.
trace::Pulse pulse_after(int seconds) {
  const auto time = static_cast<std::uint64_t>(seconds);
  trace::Pulse pulse;
  pulse.time = 77 * second + seconds * second;
  pulse.sparks_converted = 100 * time;
  pulse.mutator = 750'000'000 * time;
  pulse.idle = 250'000'000 * time;
  return pulse;
}

trace::Table table_after(int seconds, std::size_t pes) {
  trace::Table table;
  table.head.interval = second;
  table.rows.resize(pes);
  for (auto& row : table.rows) {
    row.heard = seconds * second;
    row.pulse = pulse_after(seconds);
  }
  return table;
}

TEST(Progress, CountsWhoIsThereAndWhoIsSilent) {
  auto table = table_after(9, 5);
  table.rows[0].pulse.busy = table.rows[1].pulse.busy = 1;
  table.rows[1].heard = 2 * second;
  table.rows[2].presence = Presence::lost;
  table.rows[3].heard = trace::Row::unheard;
  table.rows[4].presence = Presence::to_come;
  const auto sum = ProgressHistory().take(table, 10 * second);
  EXPECT_EQ(sum.pes, 3U);
  EXPECT_EQ(sum.silent, 2U) << "who has never answered, too";
  EXPECT_EQ(sum.workers, 2U);
  EXPECT_EQ(sum.busy, 1U) << "nobody knows of the other";
  EXPECT_EQ(sum.done, 1'800U);
  table.head.since = 8 * second;
  EXPECT_EQ(ProgressHistory().take(table, 10 * second).silent, 0U) << "asked for two seconds";
}

TEST(Progress, ComparesEachPeWithItself) {
  ProgressHistory history;
  const auto first = history.take(table_after(4, 3), 4 * second);
  EXPECT_NEAR(first.rate, 300, 1e-6) << "since the run began";
  EXPECT_NEAR(first.idle, 0.25, 1e-6);

  // One dies, one has not answered again.
  auto table = table_after(8, 3);
  table.rows[1].presence = Presence::lost;
  table.rows[2].heard = trace::Row::unheard;
  auto sum = history.take(table, 8 * second);
  EXPECT_NEAR(sum.rate, 100, 1e-6);
  EXPECT_NEAR(sum.idle, 0.25, 1e-6);

  // Now it has: what it did meanwhile did not happen since the last line.
  table = table_after(16, 3);
  table.rows[1].presence = Presence::lost;
  sum = history.take(table, 16 * second);
  EXPECT_NEAR(sum.rate, 200, 1e-6);
  EXPECT_NEAR(sum.idle, 0.25, 1e-6);

  // The same again is no news.
  sum = history.take(table, 17 * second);
  EXPECT_EQ(sum.rate, 0);
  EXPECT_EQ(sum.idle, 0);
}

std::vector<std::string> lines_of_a_run(double seconds) {
  testing::internal::CaptureStderr();
  MainPe pe(true);
  const auto end = static_cast<Nanos>(seconds * second);
  for (Nanos time = 0; time < end; time += tenth) pe.watch.look(time);
  pe.watch.end(end, std::vector<std::optional<Statistics>>(3));
  std::vector<std::string> lines;
  std::string text = testing::internal::GetCapturedStderr();
  for (std::size_t at; (at = text.find('\n')) != std::string::npos; text.erase(0, at + 1))
    lines.push_back(text.substr(0, at));
  EXPECT_EQ(text, "");
  return lines;
}

TEST(Progress, SaysNothingOfAShortRunAndEverLessOfALongOne) {
  EXPECT_TRUE(lines_of_a_run(1.9).empty());
  const auto lines = lines_of_a_run(20);
  ASSERT_EQ(lines.size(), 5U) << "after 2, 4, 8, 16 s, and at the end";
  EXPECT_EQ(lines[1].rfind("trawl: 4 s: 3 PEs, 1 of 1 workers busy", 0), 0U) << lines[1];
  EXPECT_EQ(lines[3].rfind("trawl: 16 s: ", 0), 0U) << lines[3];
  EXPECT_EQ(lines[4].rfind("trawl: 20.0 s: ended; ", 0), 0U) << lines[4];
  EXPECT_EQ(lines_of_a_run(190).size(), 9U) << "and once a minute";
}

// The main PE stands still (SIGSTOP): it asks all again, and waits for what they answer.
TEST(Progress, SaysNothingUntilAllCanHaveAnsweredAgain) {
  MainPe pe(true);
  const auto look = [&](Nanos time) {
    testing::internal::CaptureStderr();
    pe.watch.look(time);
    const auto said = testing::internal::GetCapturedStderr();
    for (const int other : {1, 2}) pe.watch.on_pulse({some_pulse()}, other, time);
    return said;
  };
  for (Nanos time = 0; time < 2 * second; time += tenth) EXPECT_EQ(look(time), "");
  EXPECT_NE(look(2 * second).find("3 of 3 workers busy"), std::string::npos);
  for (Nanos time = 60 * second; time < 61 * second; time += tenth) EXPECT_EQ(look(time), "");
  const auto said = look(61 * second);
  EXPECT_EQ(said.rfind("trawl: 61 s: 3 PEs, 3 of 3 workers busy", 0), 0U) << said;
}

// ---- a whole grid ------------------------------------------------------------------------------

long second_of_work(long n) {
  Simulation::work(second);
  return n;
}

long many_seconds(long n) {
  if (n == 1) return second_of_work(n);
  auto half = trawl::spawn<many_seconds>(n / 2);
  const long rest = many_seconds(n - n / 2);
  return half.sync() + rest;
}

TEST(Progress, OfAGridTellsOfAllItsPes) {
  Simulation::Config config;
  config.net.pes = 4;
  config.options.progress = true;
  testing::internal::CaptureStderr();
  {
    Simulation simulation(config);
    long sum = 0;
    simulation.run([&] { sum = many_seconds(64); });
    EXPECT_EQ(sum, 64);
    EXPECT_EQ(simulation.finish(0).code, 0);
  }
  const auto said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("trawl: 8 s: 4 PEs, 4 of 4 workers busy"), std::string::npos) << said;
  EXPECT_NE(said.find("ended; 63 sparks done"), std::string::npos) << said;
}

}  // namespace
}  // namespace trawl::watch
