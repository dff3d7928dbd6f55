// profiles/report: who made sparks and woke threads, the critical path, and how much shorter it
// could be.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/unit/profile_report.hpp"

namespace {

using namespace trawl;
using namespace trawl::test;

TEST_F(ReportTest, CriticalPathGoesBackByWhatCame) {
  write_two();
  const auto path = report().path;
  ASSERT_TRUE(path.known);
  EXPECT_EQ(path.hops, 2U);
  const std::vector<Nanos> ends{200, 300, 310, 790, 900, 910, 1000};
  const std::vector<Step> what{Step::run,    Step::travel, Step::queue, Step::run,
                               Step::travel, Step::queue,  Step::run};
  ASSERT_EQ(path.segments.size(), ends.size());
  Nanos before = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    EXPECT_EQ(path.segments[i].begin, before) << i;
    EXPECT_EQ(path.segments[i].end, ends[i]) << i;
    EXPECT_EQ(path.segments[i].step, what[i]) << i;
    before = path.segments[i].end;
  }
  EXPECT_EQ(path.segments[1].from, 0);
  EXPECT_EQ(path.by_function.at(7), 480);
  EXPECT_EQ(path.by_function.at(root_code), 290);
}

TEST_F(ReportTest, SaysHowMuchShorterItCouldBe) {
  write_two();
  const auto all = report();
  EXPECT_EQ(all.shorter.links, (100 + 110) / 2);
  EXPECT_EQ(all.shorter.workers, (10 + 10) / 2) << "it was the root that made the spark";
  EXPECT_EQ(all.shorter.between, 0);
  EXPECT_NEAR(all.shorter.pieces, (200 + 390 + 90) / 2, 2) << "one of two runs, but for 310 to 400";
  const auto json = report_json(all)["critical_path"]["shorter"];
  EXPECT_DOUBLE_EQ(json["faster_links"].get<double>(), 105e-9);
}

// The root makes two sparks and waits. The second is evaluated first, and only keeps the worker
// from the other one, which the root waits for.
TEST_F(ReportTest, WhatOnlyKeepsAWorkerIsNotNeeded) {
  time_ = 500;
  {
    Log log(setup(0, 1));
    log.set_offset(-500);
    make_two_sparks(log, 110);
    note(log, 300, Kind::thread_end, 2);
    note(log, 320, Kind::spark_convert, 8, 0, 3, trace::PoolPlace{0, 1}.packed());
    note(log, 320, Kind::thread_start, 3);
    note(log, 320, Kind::thread_run, 3, 0, 0, 1);
    note(log, 500, Kind::thread_resume, 1, static_cast<std::uint16_t>(trace::Giver::thread), 3);
    note(log, 500, Kind::thread_end, 3);
    note(log, 505, Kind::thread_run, 1, 0, 0, 1);
    note(log, 600, Kind::thread_end, 1);
    time_ = 1100;
  }
  const auto all = report();
  EXPECT_EQ(all.path.held, 190);
  EXPECT_EQ(all.shorter.between, 10 + 20);
  EXPECT_EQ(all.shorter.workers, (190 + 5) / 2.0);
  EXPECT_EQ(all.shorter.pieces, 0) << "the only worker is never idle";
}

// The root makes two sparks and waits. Its worker runs the second until it is asked for the other,
// which it could have sent at once.
TEST_F(ReportTest, WhoSendsASparkThatHeHasNotMadeOnlyKeptIt) {
  time_ = 500;
  {
    Log log(setup(0, 2));
    log.set_offset(-500);
    make_two_sparks(log, 100);
    message(log, 250, Kind::message_sent, 1, schedule, 120);
    note(log, 250, Kind::spark_export, 1, 5, 8, trace::PoolPlace{0, 1}.packed());
    note(log, 400, Kind::thread_end, 2);
    message(log, 900, Kind::message_received, 1, resume, 60);
    note(log, 900, Kind::resume_received, 1, 0, 8, 60);
    note(log, 900, Kind::thread_resume, 1);
    note(log, 900, Kind::thread_run, 1);
    note(log, 1000, Kind::thread_end, 1);
  }
  time_ = 500;
  {
    Log log(setup(1, 2));
    log.set_offset(-500);
    message(log, 300, Kind::message_received, 0, schedule, 120);
    note(log, 300, Kind::spark_import, 0, 5);
    note(log, 300, Kind::spark_convert, 8, 1, 4);
    note(log, 300, Kind::thread_start, 4);
    note(log, 300, Kind::thread_run, 4);
    message(log, 800, Kind::message_sent, 0, resume, 60);
    note(log, 800, Kind::thread_end, 4);
    time_ = 1500;
  }
  const auto all = report();
  EXPECT_EQ(all.path.hops, 2U);
  EXPECT_EQ(all.path.held, 150) << "from 100 to 250";
  EXPECT_EQ(all.shorter.workers, 75);
}

TEST_F(ReportTest, OtherMessagesMayComeBetweenAValueAndWhomItWakes) {
  time_ = 500;
  {
    Log log(setup(0, 2));
    log.set_offset(-500);
    block_the_root(log);
    message(log, 900, Kind::message_received, 1, resume, 60);
    note(log, 900, Kind::resume_received, 1);
    message(log, 900, Kind::message_received, 1, static_cast<std::uint16_t>(fabric::Kind::ping), 8);
    note(log, 900, Kind::thread_resume, 1);
    note(log, 900, Kind::thread_run, 1);
    note(log, 1000, Kind::thread_end, 1);
  }
  time_ = 500;
  {
    Log log(setup(1, 2));
    log.set_offset(-500);
    note(log, 0, Kind::thread_start, 1);
    note(log, 0, Kind::thread_run, 1);
    message(log, 600, Kind::message_sent, 0, resume, 60);
    note(log, 650, Kind::thread_end, 1);
    time_ = 1500;
  }
  const auto path = report().path;
  EXPECT_EQ(path.hops, 1U);
  EXPECT_EQ(path.time[static_cast<std::size_t>(Step::travel)], 300);
}

TEST_F(ReportTest, CriticalPathGoesToTheThreadThatWokeAnother) {
  time_ = 500;
  {
    Log log(setup(0, 1));
    log.set_offset(-500);
    block_the_root(log);
    note(log, 110, Kind::spark_convert, 3, 0, 2);
    note(log, 110, Kind::thread_start, 2);
    note(log, 110, Kind::thread_run, 2);
    note(log, 700, Kind::thread_resume, 1, static_cast<std::uint16_t>(trace::Giver::thread), 2);
    note(log, 710, Kind::thread_end, 2);
    note(log, 720, Kind::thread_run, 1);
    note(log, 1000, Kind::thread_end, 1);
    time_ = 1500;
  }
  const auto all = report();
  EXPECT_EQ(all.path.wakes, 1U);
  EXPECT_EQ(all.path.by_function.at(3), 590);
  EXPECT_EQ(all.path.by_function.at(root_code), 380);
  EXPECT_EQ(all.path.time[static_cast<std::size_t>(Step::queue)], 30);
  EXPECT_EQ(function(all, root_code).blocked, 600);
  EXPECT_EQ(function(all, root_code).blocked_afar, 0);
}

// Worker 0's pool: the root's sparks at places 1 and 2, then, while it is blocked, one of thread 2
// at place 3.
TEST_F(ReportTest, ASparksMakerIsFoundByItsPlace) {
  time_ = 500;
  {
    auto two = setup(0, 1);
    two.workers = 2;
    Log log(two);
    log.set_offset(-500);
    const auto convert = [&](Nanos time, std::uint32_t thread, std::uint32_t place) {
      time_ = 500 + time;
      log.event(Kind::spark_convert, 1, 7, 0, thread,
                place == 0 ? 0 : trace::PoolPlace{0, place}.packed());
      log.event(Kind::thread_start, 1, thread);
      log.event(Kind::thread_run, 1, thread, 0, 0, 1);
      time_ += 20;
      log.event(Kind::thread_end, 1, thread);
    };
    note(log, 0, Kind::thread_start, 1);
    note(log, 0, Kind::thread_run, 1, 0, 0, 1);
    convert(50, 3, 1);
    note(log, 100, Kind::thread_block, 1, 0, 7, 2);
    note(log, 110, Kind::spark_convert, 8, 0, 2);
    note(log, 110, Kind::thread_start, 2);
    note(log, 110, Kind::thread_run, 2, 0, 0, 3);
    convert(200, 5, 3);
    convert(300, 7, 2);
    convert(400, 9, 0);
    note(log, 500, Kind::thread_end, 2, 0, 0, 1);
    time_ = 1500;
  }
  const auto all = report();
  const auto maker = [&](std::uint32_t thread) {
    const auto found = std::find_if(all.slices.begin(), all.slices.end(),
                                    [&](const auto& slice) { return slice.thread == thread; });
    return found == all.slices.end() ? Source{} : found->source;
  };
  EXPECT_EQ(maker(3).thread, 1U);
  EXPECT_EQ(maker(3).code, root_code);
  EXPECT_EQ(maker(5).thread, 2U);
  EXPECT_EQ(maker(5).code, 8U);
  EXPECT_EQ(maker(7).thread, 1U) << "it lay below what thread 2 has made";
  EXPECT_EQ(maker(9).thread, unknown);
}

TEST_F(ReportTest, ASparkThatLeftHasAMakerWhereItCameFrom) {
  write_two();
  const auto all = report();
  const auto imported = std::find_if(all.slices.begin(), all.slices.end(), [](const auto& slice) {
    return slice.cause == Cause::imported;
  });
  ASSERT_NE(imported, all.slices.end());
  EXPECT_EQ(imported->pe, 0U);
  EXPECT_EQ(imported->source.thread, 1U);
  EXPECT_EQ(imported->source.code, root_code);
}

TEST_F(ReportTest, CriticalPathGoesThroughWhoPassesAValueOn) {
  const auto open = [this](int pe) {
    time_ = 500;
    auto log = std::make_unique<Log>(setup(pe, 3));
    log->set_offset(-500);
    return log;
  };
  {
    const auto log = open(0);  // waits
    block_the_root(*log);
    message(*log, 900, Kind::message_received, 1, resume, 60);
    note(*log, 900, Kind::resume_received, 1);
    note(*log, 900, Kind::thread_resume, 1);
    note(*log, 900, Kind::thread_run, 1);
    note(*log, 1000, Kind::thread_end, 1);
  }
  {
    const auto log = open(1);  // has it from PE 2, while it does something else
    note(*log, 50, Kind::thread_start, 1);
    note(*log, 50, Kind::thread_run, 1);
    message(*log, 800, Kind::message_received, 2, resume, 60);
    note(*log, 800, Kind::resume_received, 2);
    message(*log, 801, Kind::message_sent, 0, resume, 60);
    note(*log, 950, Kind::thread_end, 1);
  }
  {
    const auto log = open(2);
    note(*log, 0, Kind::spark_convert, 9, 0, 4);
    note(*log, 0, Kind::thread_start, 4);
    note(*log, 0, Kind::thread_run, 4);
    message(*log, 700, Kind::message_sent, 1, resume, 60);
    note(*log, 710, Kind::thread_end, 4);
  }
  time_ = 1500;
  const auto path = report().path;
  EXPECT_EQ(path.hops, 2U);
  EXPECT_EQ(path.by_function.at(9), 700);
  EXPECT_EQ(path.time[static_cast<std::size_t>(Step::travel)], 200);
}

}  // namespace
