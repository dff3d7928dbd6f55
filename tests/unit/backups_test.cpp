// Stragglers: sparks that a slow PE has for long are run a second time by a faster one.
#include "rts/sched/backups.hpp"

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "rts/simulate.hpp"
#include "tests/unit/balance_inputs.hpp"
#include "tests/unit/grid_weights.hpp"
#include "tests/unit/units.hpp"

namespace trawl {
namespace {

struct Ended {
  Nanos after = 0;
  std::uint64_t backed_up = 0;
  std::uint64_t exported = 0;
  std::int64_t unaccounted = 0;  // sparks
};

/// On `pes` PEs, of which the last is ten times as slow as the others.
Ended run(int pes, const std::string& backup, const std::function<void()>& root,
          const std::string& policy = "trawl") {
  Simulation::Config config;
  config.net.pes = pes;
  config.options.backup = backup;
  config.options.policy = policy;
  config.net.grid =
      fabric::parse_grid(R"({"clusters": [{"name": "a", "pes": )" + std::to_string(pes) +
                             R"(, "latency": "100 us", "bandwidth": "1 GB/s"}],
          "speed_changes": [{"pe": )" +
                             std::to_string(pes - 1) + R"(, "at": "0 s", "speed": 0.1}]})",
                         "one slow PE");
  Simulation simulation(config);
  Ended ended;
  simulation.run([&] {
    root();
    ended.after = Simulation::clock_here();
  });
  simulation.settle();  // the slow one is done, too
  test::expect_weights_conserved(simulation);
  for (int pe = 0; pe < pes; ++pe) {
    const auto counts = simulation.pe(pe).statistics();
    ended.backed_up += counts[static_cast<std::size_t>(Count::sparks_backed_up)];
    ended.exported += counts[static_cast<std::size_t>(Count::sparks_exported)];
    const auto is = [&counts](Count what) {
      return static_cast<std::int64_t>(counts[static_cast<std::size_t>(what)]);
    };
    ended.unaccounted += is(Count::sparks_created) - is(Count::sparks_converted) -
                         is(Count::sparks_subsumed) - is(Count::sparks_fizzled) -
                         is(Count::sparks_ignored);
    EXPECT_EQ(simulation.pe(pe).shared_heap().blocking_queues(), 0U) << pe;
  }
  return ended;
}

using Words = std::vector<std::string>;

Words said_after(Nanos time, const Lazy<Words>& before) {
  Simulation::work(time);
  auto words = force(before);
  words.push_back(std::to_string(time));
  return words;
}

/// Arguments and values that are more than plain bytes.
void need_all_of(int sparks) {
  const Lazy<Words> before(Words{"a", "b"});
  std::vector<Lazy<Words>> all;
  for (int i = 0; i < sparks; ++i) all.push_back(par(lazy<said_after>(20 * ms + i, before)));
  for (int i = 0; i < sparks; ++i)
    EXPECT_EQ(force(all[static_cast<std::size_t>(i)]),
              (Words{"a", "b", std::to_string(20 * ms + i)}));
}

TEST(Backups, TheOneThatSentItHereRunsIt) {
  const auto root = [] { need_all_of(6); };
  const auto with = run(2, "on", root);
  const auto without = run(2, "off", root);
  EXPECT_EQ(without.backed_up, 0U);
  EXPECT_GT(with.backed_up, 0U);
  EXPECT_EQ(with.unaccounted, 0);
  // The slow one takes 200 ms for its first; the other has done the rest after 100.
  EXPECT_GT(without.after, 190 * ms);
  EXPECT_LT(with.after, 150 * ms);
}

TEST(Backups, AThiefRunsIt) {
  const auto root = [] {
    std::vector<Lazy<Words>> all;
    const Lazy<Words> before(Words{"a", "b"});
    for (int i = 0; i < 20; ++i) all.push_back(par(lazy<said_after>(20 * ms, before)));
    for (int i = 0; i < 20; ++i) Simulation::work(20 * ms);  // the main PE has work of its own
    for (const auto& each : all) EXPECT_EQ(force(each).size(), 3U);
  };
  const auto with = run(3, "on", root);
  EXPECT_GT(with.backed_up, 0U);
  EXPECT_LT(with.after, run(3, "off", root).after);
}

void add_to(long& count, long by) {
  count += by;
}
bool is_at_least(const long& count, long n) {
  return count >= n;
}
long counts(Shared<long> count, long i) {
  Simulation::work(20 * ms + i);
  count.write<add_to>(1L);
  return i;
}

TEST(Backups, NotWhatWritesToAnObject) {
  const auto ended = run(2, "on", [] {
    Shared<long> count(0);
    std::vector<Lazy<long>> all;
    for (long i = 0; i < 6; ++i) all.push_back(par(lazy<counts>(count, i)));
    for (const auto& each : all) force(each);
    EXPECT_EQ(*count.wait_until<is_at_least>(6L), 6);
    Simulation::work(2'000 * ms);
    EXPECT_EQ(*count.read(), 6);
  });
  EXPECT_GT(ended.exported, 0U);
  EXPECT_EQ(ended.backed_up, 0U);
}

std::size_t size_of(const std::string& text) {
  Simulation::work(20 * ms);
  return text.size();
}

// It would be on its way for longer than it takes.
TEST(Backups, NotWhatHasLargeArguments) {
  const auto ended = run(2, "on", [] {
    std::vector<Lazy<std::size_t>> all;
    for (int i = 0; i < 6; ++i)
      all.push_back(par(lazy<size_of>(std::string(100'000, static_cast<char>('a' + i)))));
    for (const auto& each : all) EXPECT_EQ(force(each), 100'000U);
  });
  EXPECT_GT(ended.exported, 0U);
  EXPECT_EQ(ended.backed_up, 0U);
}

long busy(Nanos time) {
  Simulation::work(time);
  return 1;
}

// The slow PE has the last one; a thousand that it had before have been done.
TEST(Backups, ManyThatAreDoneDoNotHideTheLast) {
  const auto ended = run(2, "on", [] {
    for (int round = 0; round < 40; ++round) {
      std::vector<Lazy<long>> all;
      for (int i = 0; i < 100; ++i) all.push_back(par(lazy<busy>(100'000)));
      for (const auto& each : all) force(each);
    }
    need_all_of(6);
  });
  EXPECT_GT(ended.exported, 100U);
  EXPECT_GT(ended.backed_up, 0U);
}

long split(long n) {
  Simulation::work(ms);
  if (n == 0) return 1;
  const auto left = par(lazy<split>(n - 1));
  return split(n - 1) + force(left);
}

// What makes sparks is done by many: it is no straggler.
TEST(Backups, NotWhatMakesSparks) {
  const auto ended = run(3, "on", [] { EXPECT_EQ(split(7), 128); });
  EXPECT_GT(ended.exported, 0U);
  EXPECT_EQ(ended.backed_up, 0U);
}

long written(Nanos time) {
  Simulation::work(time);
  return blocking([] { return 1L; });
}

// It has perhaps changed something outside of the run.
TEST(Backups, NotWhatHasCalledBlocking) {
  const auto ended = run(3, "on", [] {
    std::vector<Lazy<long>> all;
    for (int i = 0; i < 24; ++i) all.push_back(par(lazy<written>(5 * ms)));
    for (const auto& each : all) EXPECT_EQ(force(each), 1);
  });
  EXPECT_GT(ended.exported, 0U);
  EXPECT_EQ(ended.backed_up, 0U);
}

TEST(Backups, PoliciesOfPapersHaveNone) {
  EXPECT_EQ(run(
                2, "on", [] { need_all_of(10); }, "targeted")
                .backed_up,
            0U);
}

long fails_after(Nanos time) {
  Simulation::work(time);
  throw std::runtime_error("as it should");
}

TEST(Backups, AnExceptionIsAValueToo) {
  const auto with = run(2, "on", [] {
    std::vector<Lazy<long>> all;
    for (int i = 0; i < 6; ++i) all.push_back(par(lazy<fails_after>(20 * ms)));
    for (const auto& each : all) EXPECT_THROW(force(each), std::runtime_error);
  });
  EXPECT_GT(with.backed_up, 0U);
}

// Sparks that nobody has begun with may be elsewhere.
TEST(Backups, NotBeforeOtherClustersWereAsked) {
  constexpr Nanos round_trip = 20 * ms;
  balance::Tables tables(0, 16);
  tables.set_roster(balance::Roster::shared({{.pes = 4}, {.times = 3, .pes = 4, .step = 1}}));
  auto slow = tables.static_of(2);
  slow.speed /= 10;
  balance::set_static(tables, 2, slow);
  sched::Backups backups(tables, [](const heap::Code&) { return false; });
  const auto spark = lazy<busy>(1L);
  spark.node()->move(heap::State::unevaluated, heap::State::exported);
  backups.note(spark.node(), 2, 0);
  const auto take = [&](Nanos hungry) { return backups.take(1, hungry, 100 * ms, 100 * ms); };
  tables.note_latency(4, {round_trip / 2, 1});
  EXPECT_EQ(take(round_trip - 1), nullptr) << "one is known";
  for (const int pe : {8, 12}) tables.note_latency(pe, {round_trip / 2, 1});
  EXPECT_EQ(take(3 * round_trip - 1), nullptr);
  EXPECT_EQ(take(3 * round_trip), spark.node());
  EXPECT_EQ(take(3 * round_trip), nullptr) << "each once";
}

// As fast as any, but behind a link that others' values fill.
TEST(Backups, AnOverdueOneIsRunNearBy) {
  balance::Tables tables(0, 8);
  tables.set_roster(balance::Roster::shared({{.pes = 4}, {.times = 1, .pes = 4, .step = 1}}));
  tables.note_latency(4, {10 * ms, 1});
  balance::hear_bandwidth(tables, 4, 1'000'000, 1);
  sched::Backups backups(tables, [](const heap::Code&) { return false; });
  const auto spark = lazy<busy>(1L);
  spark.node()->move(heap::State::unevaluated, heap::State::exported);
  backups.note(spark.node(), 4, 0);
  const auto take = [&](int runner, Nanos now) {
    return backups.take(runner, 1'000 * ms, 100 * ms, now);
  };
  EXPECT_EQ(take(1, 241 * ms), nullptr) << "values are short";
  tables.note_result(20'000);
  EXPECT_EQ(take(1, 241 * ms), nullptr) << "the link carries one in a fifth of the time";
  tables.note_result(40'000);
  EXPECT_EQ(take(1, 240 * ms), nullptr) << "twice what it takes, and its way";
  EXPECT_EQ(take(5, 241 * ms), nullptr) << "its value would wait for the same link";
  EXPECT_EQ(take(1, 241 * ms), spark.node());
}

// As long as short messages wait behind values, so long seems its latency.
TEST(Backups, AFullLinksLatencyHoldsUpNone) {
  balance::Tables tables(0, 8);
  tables.set_roster(balance::Roster::shared({{.pes = 4}, {.times = 1, .pes = 4, .step = 1}}));
  tables.note_latency(4, {3'000 * ms, 1});
  balance::hear_bandwidth(tables, 4, 1'000'000, 1);
  tables.note_result(40'000);
  sched::Backups backups(tables, [](const heap::Code&) { return false; });
  const auto spark = lazy<busy>(1L);
  spark.node()->move(heap::State::unevaluated, heap::State::exported);
  backups.note(spark.node(), 4, 0);
  const auto take = [&](Nanos now) { return backups.take(1, 1, 100 * ms, now); };
  EXPECT_EQ(take(600 * ms), nullptr) << "twice what it takes, and as long for each way";
  EXPECT_EQ(take(601 * ms), spark.node()) << "for who has not asked there yet";
}

// Arguments fill a link as well; and who has only passed a spark on has seen values near by.
TEST(Backups, WhatFillsALinkMayBeKnownFromElsewhere) {
  const auto is_overdue = [](auto note) {
    balance::Tables tables(0, 8);
    tables.set_roster(balance::Roster::shared({{.pes = 4}, {.times = 1, .pes = 4, .step = 1}}));
    tables.note_latency(4, {10 * ms, 1});
    balance::hear_bandwidth(tables, 4, 1'000'000, 1);
    note(tables);
    sched::Backups backups(tables, [](const heap::Code&) { return false; });
    const auto spark = lazy<busy>(1L);
    spark.node()->move(heap::State::unevaluated, heap::State::exported);
    backups.note(spark.node(), 4, 0);
    return backups.take(1, 1'000 * ms, 100 * ms, 241 * ms) != nullptr;
  };
  EXPECT_TRUE(is_overdue([](auto& tables) { tables.note_spark(40'000); }));
  EXPECT_TRUE(is_overdue([](auto& tables) { tables.note_near_result(40'000); }));
  EXPECT_FALSE(is_overdue([](auto& tables) {
    tables.note_near_result(40'000);
    tables.note_result(100);
  })) << "far ones tell more";
}

// A program's next sparks may be shorter than its threads were in the mean.
TEST(Backups, WhatCameHomeFromNearByTellsWhatIsOverdue) {
  balance::Tables tables(0, 8);
  tables.set_roster(balance::Roster::shared({{.pes = 4}, {.times = 1, .pes = 4, .step = 1}}));
  tables.note_latency(4, {10 * ms, 1});
  balance::hear_bandwidth(tables, 4, 1'000'000, 1);
  tables.note_result(40'000);
  sched::Backups backups(tables, [](const heap::Code&) { return false; });
  const auto sent = [&](const auto& spark, int holder, Nanos now) {
    spark.node()->move(heap::State::unevaluated, heap::State::exported);
    backups.note(spark.node(), holder, now);
  };
  const auto comes_home = [](const auto& spark) {
    spark.node()->move(heap::State::exported, heap::State::value);
  };
  const auto take = [&](Nanos now) { return backups.take(1, 1'000 * ms, 100 * ms, now); };

  const auto other = lazy<size_of>(std::string());
  sent(other, 2, 0);
  const auto far = lazy<busy>(1L);
  sent(far, 4, 0);
  comes_home(other);
  EXPECT_EQ(take(5 * ms), nullptr);
  EXPECT_EQ(take(240 * ms), nullptr) << "that was another function";

  const auto near = lazy<busy>(1L), far_too = lazy<busy>(1L);
  sent(near, 2, 300 * ms);
  sent(far_too, 4, 300 * ms);
  EXPECT_EQ(take(300 * ms), far.node()) << "long overdue anyway";
  comes_home(near);
  EXPECT_EQ(take(305 * ms), nullptr) << "5 ms are what it took at most";
  const auto longer = lazy<busy>(1L), lost = lazy<busy>(1L);
  sent(longer, 2, 305 * ms);
  EXPECT_EQ(take(352 * ms), nullptr) << "one near by has had 47 ms";
  comes_home(longer);
  sent(lost, 2, 352 * ms);
  lost.node()->move(heap::State::exported, heap::State::unevaluated);
  // A quarter of those 48 ms and three of the 5: 15.75. What came back without a value teaches
  // nothing.
  EXPECT_EQ(take(353 * ms), nullptr);
  EXPECT_EQ(take(371 * ms), nullptr) << "twice that, and its way";
  EXPECT_EQ(take(372 * ms), far_too.node());
}

// The slow PE, or the one that runs it again, dies at any time.
TEST(Backups, EitherMayDie) {
  for (int pe = 1; pe < 4; ++pe)
    for (Nanos at = 10 * ms; at < 260 * ms; at += 10 * ms) {
      SCOPED_TRACE(std::to_string(pe) + " at " + std::to_string(at));
      Simulation::Config config;
      config.net.pes = 4;
      config.net.grid = fabric::parse_grid(
          R"({"clusters": [{"name": "a", "pes": 4, "latency": "100 us", "bandwidth": "1 GB/s"}],
              "speed_changes": [{"pe": 3, "at": "0 s", "speed": 0.1}],
              "deaths": [{"pe": )" +
              std::to_string(pe) + R"(, "at": ")" + std::to_string(at) + R"( ns"}]})",
          "one slow PE");
      Simulation simulation(config);
      simulation.run([] { need_all_of(20); });
      EXPECT_EQ(simulation.finish(3).code, 3);
    }
}

}  // namespace
}  // namespace trawl
