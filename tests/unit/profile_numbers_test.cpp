// profiles/: the numbers of a known run.
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "profiles/activity.hpp"
#include "profiles/summary.hpp"
#include "rts/trace/log.hpp"
#include "tests/unit/profile_run.hpp"

namespace trawl::profile {
namespace {

using test::ProfileTest;
using trace::Kind;
using trace::Log;

TEST_F(ProfileTest, KnownRunGivesItsNumbers) {
  write_known();
  const auto found = run();
  EXPECT_TRUE(found.damage.empty());
  EXPECT_EQ(found.end, 1000);
  const auto activity = measure(found, 0, found.end, 10);
  const auto& total = activity.pes[0].total;
  EXPECT_EQ(total.busy, 500);
  EXPECT_EQ(total.running, 500);
  EXPECT_EQ(total.active, 600);
  EXPECT_EQ(total.runnable, 100 + 100) << "a second thread, and the running one in the collection";
  EXPECT_EQ(total.gc, 100);
  EXPECT_EQ(total.blocked_only, 200);
  EXPECT_EQ(total.sparks, 6 * 200);
  EXPECT_DOUBLE_EQ(activity.parallelism(), 0.5);
  EXPECT_EQ(activity.pes[0].events(Kind::thread_start), 2U);
}

TEST_F(ProfileTest, BinsHoldTheirSliceOfTime) {
  write_known();
  const auto activity = measure(run(), 0, 1000, 10);
  const std::vector<double> busy{0, 100, 100, 100, 0, 100, 0, 0, 100, 0};
  const std::vector<double> blocked_only{0, 0, 0, 0, 0, 0, 100, 100, 0, 0};
  for (std::size_t bin = 0; bin < 10; ++bin) {
    EXPECT_EQ(activity.pes[0].bins[bin].busy, busy[bin]) << bin;
    EXPECT_EQ(activity.pes[0].bins[bin].gc, bin == 4 ? 100 : 0) << bin;
    EXPECT_EQ(activity.pes[0].bins[bin].blocked_only, blocked_only[bin]) << bin;
  }
}

TEST_F(ProfileTest, BinsThatDoNotDivideTheTimeLoseNone) {
  write_known();
  for (const std::size_t bins : {1U, 3U, 7U, 64U, 999U}) {
    const auto activity = measure(run(), 0, 1000, bins);
    EXPECT_EQ(activity.pes[0].total.busy, 500) << bins;
    EXPECT_EQ(activity.boundary(bins), activity.to);
  }
}

TEST_F(ProfileTest, WindowKnowsWhatCameBefore) {
  write_known();
  const auto activity = measure(run(), 250, 450, 5);
  EXPECT_EQ(activity.pes[0].total.busy, 150);
  EXPECT_EQ(activity.pes[0].total.active, 200);
  EXPECT_EQ(activity.pes[0].total.gc, 50);
  EXPECT_EQ(activity.pes[0].events(Kind::thread_start), 0U);
  EXPECT_EQ(activity.pes[0].events(Kind::gc_begin), 1U);
}

TEST_F(ProfileTest, WorkersOfAPeAddUp) {
  auto with = setup(0, 1);
  with.workers = 2;
  time_ = 500;
  {
    Log log(with);
    for (const unsigned worker : {0U, 1U}) {
      at(log, 0, Kind::thread_start, worker);
      at(log, 0, Kind::thread_run, worker);
    }
    at(log, 50, Kind::thread_end, 0);
    time_ = 600;
  }
  const auto activity = measure(run(), 0, 100, 4);
  EXPECT_EQ(activity.pes[0].total.running, 150);
  EXPECT_EQ(activity.pes[0].total.busy, 100);
  EXPECT_EQ(to_json(activity)["total"]["busy"], 0.75);
}

TEST_F(ProfileTest, HeldIsWhoRunsNothingAtTheThreadLimit) {
  for (const int limit : {1, 2, 3}) {
    auto with = setup(0, 1);
    with.workers = 2;
    with.thread_limit = limit;
    time_ = 500;
    {
      Log log(with);
      for (const unsigned worker : {0U, 1U}) {
        at(log, 0, Kind::thread_start, worker);
        at(log, 0, Kind::thread_run, worker);
      }
      at(log, 40, Kind::thread_block, 0);
      at(log, 60, Kind::thread_block, 1);
      time_ = 600;
    }
    EXPECT_EQ(measure(run(), 0, 100, 4).pes[0].total.held, limit < 3 ? 20 + 2 * 40 : 0) << limit;
  }
}

/// One thread, or more, from the log's beginning to its end.
void run_threads(trace::Log& log, unsigned threads) {
  for (unsigned worker = 0; worker < threads; ++worker) {
    log.event(Kind::thread_start, worker, 0);
    log.event(Kind::thread_run, worker, 0);
  }
}

// A PE's time is what it was there.
TEST_F(ProfileTest, WhoCameLateAndWhoDiedWereBusy) {
  constexpr Nanos second = 1'000'000'000;
  for (const int pe : {0, 1, 2}) {
    time_ = pe == 1 ? second : 0;
    Log log(setup(pe, 3));
    log.set_offset(0, 0, pe == 1);
    run_threads(log, 1);
    time_ = pe == 2 ? second : 2 * second;
  }
  const auto found = run();
  const auto activity = measure(found, 0, 2 * second, 20);
  const auto numbers = to_json(activity);
  for (const auto& pe : numbers["per_pe"]) EXPECT_EQ(pe["busy"], 1.0) << pe;
  EXPECT_EQ(to_json(measure(found, 0, second, 10))["per_pe"][1]["busy"], 0.0) << "not there";
  const auto report = measure_report(found, 0, found.end, measure_fishing(found, 0, found.end),
                                     measure_granularity(found, 0, found.end));
  EXPECT_NEAR(report.facts.shares.busy, 1, 1e-9);
}

TEST_F(ProfileTest, ASpareWorkerIsNoMoreTime) {
  time_ = 0;
  {
    Log log(setup(0, 1));
    log.set_offset(0);
    run_threads(log, 2);
    time_ = 1000;
  }
  EXPECT_EQ(to_json(measure(run(), 0, 1000, 10))["total"]["busy"], 1.0);
}

TEST_F(ProfileTest, LostEventsDoNotLeaveAThreadRunning) {
  time_ = 500;
  {
    Log log(setup(0, 1));
    at(log, 10, Kind::thread_run);  // no thread_start, and its thread_end is lost
    at(log, 20, Kind::idle_begin);
    at(log, 30, Kind::thread_resume);  // no thread_block
    at(log, 40, Kind::thread_run);
    at(log, 50, Kind::thread_end);
    time_ = 600;
  }
  const auto activity = measure(run(), 0, 100, 10);
  EXPECT_EQ(activity.pes[0].total.running, 20);
  EXPECT_EQ(activity.pes[0].total.blocked, 0);
}

TEST_F(ProfileTest, JsonHoldsTheSummary) {
  write_known(0, 2);
  write_known(1, 2);
  const auto json = to_json(measure(run(), 0, 1000, 10));
  EXPECT_EQ(json["program"], "fib");
  EXPECT_EQ(json["pes"], 2);
  EXPECT_EQ(json["average_parallelism"], 1.0);
  ASSERT_EQ(json["per_pe"].size(), 2U);
  EXPECT_EQ(json["per_pe"][1]["pe"], 1);
  EXPECT_EQ(json["per_pe"][1]["gc"], 0.1);
  EXPECT_EQ(json["total"]["threads"], 4);
}

}  // namespace
}  // namespace trawl::profile
