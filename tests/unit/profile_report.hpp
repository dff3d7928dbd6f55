// Logs of which it is known what happened, for tests of the report; and what these ask.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "profiles/report/page.hpp"
#include "profiles/report/report.hpp"
#include "rts/fabric/kinds.hpp"
#include "rts/trace/log.hpp"
#include "tests/unit/profile_run.hpp"

namespace trawl::test {

using namespace profile;
using trace::Kind;
using trace::Log;

inline constexpr auto schedule = static_cast<std::uint16_t>(fabric::Kind::schedule);
inline constexpr auto resume = static_cast<std::uint16_t>(fabric::Kind::resume);

class ReportTest : public ProfileTest {
 protected:
  void note(Log& log, Nanos time, Kind kind, std::uint32_t value = 0, std::uint16_t extra = 0,
            std::uint32_t id = 0, std::uint32_t size = 0) {
    time_ = 500 + time;
    log.event(kind, 0, value, extra, id, size);
  }
  /// The root begins, and is blocked after 100.
  void block_the_root(Log& log) {
    note(log, 0, Kind::thread_start, 1);
    note(log, 0, Kind::thread_run, 1);
    note(log, 100, Kind::thread_block, 1);
  }
  /// The root makes two sparks, and is blocked after 100; the second begins then.
  void make_two_sparks(Log& log, Nanos then) {
    note(log, 0, Kind::thread_start, 1);
    note(log, 0, Kind::thread_run, 1, 0, 0, 1);
    note(log, 100, Kind::thread_block, 1, 0, 8, 2);
    note(log, then, Kind::spark_convert, 7, 0, 2, trace::PoolPlace{0, 2}.packed());
    note(log, then, Kind::thread_start, 2);
    note(log, then, Kind::thread_run, 2, 0, 0, 2);
  }
  void message(Log& log, Nanos time, Kind kind, int pe, std::uint16_t what, std::size_t size) {
    time_ = 500 + time;
    log.message(kind, pe, what, size);
  }

  /// PE 0's root runs 0 to 200, gives one of three sparks of code 7 away, runs until 400 and is
  /// blocked. PE 1
  /// gets the spark at 300 and runs it until 800; the value is at PE 0 at 900. The root ends at
  /// 1000. It is idle where it says so.
  void write_two() {
    time_ = 500;
    {
      Log log(setup(0, 2));
      log.set_offset(-500);
      note(log, 0, Kind::thread_start, 1);
      note(log, 0, Kind::thread_run, 1, 0, 0, 1);
      message(log, 200, Kind::message_sent, 1, schedule, 120);
      note(log, 200, Kind::spark_export, 1, 5, 7, trace::PoolPlace{0, 1}.packed());
      note(log, 400, Kind::thread_block, 1, 1, 7, 3);
      note(log, 400, Kind::idle_begin);
      message(log, 900, Kind::message_received, 1, resume, 60);
      note(log, 900, Kind::resume_received, 1, 0, 7, 60);
      note(log, 900, Kind::thread_resume, 1);
      note(log, 910, Kind::idle_end);
      note(log, 910, Kind::thread_run, 1);
      note(log, 1000, Kind::thread_end, 1);
    }
    time_ = 500;
    Log log(setup(1, 2));
    log.set_offset(-500);
    note(log, 0, Kind::idle_begin);
    message(log, 300, Kind::message_received, 0, schedule, 120);
    note(log, 300, Kind::spark_import, 0, 5);
    note(log, 310, Kind::idle_end);
    note(log, 310, Kind::spark_convert, 7, 1, 4);
    note(log, 310, Kind::thread_start, 4);
    note(log, 310, Kind::thread_run, 4);
    message(log, 790, Kind::message_sent, 0, resume, 60);
    note(log, 800, Kind::thread_end, 4);
    note(log, 800, Kind::idle_begin);
    time_ = 1500;
  }

  Report report() const { return report_of(run()); }
  static Report report_of(const profile::Run& found) { return report_of(found, 0, found.end); }
  static Report report_of(const profile::Run& found, Nanos from, Nanos to) {
    return measure_report(found, from, to, measure_fishing(found, from, to),
                          measure_granularity(found, from, to));
  }

  /// The page of whatever is there.
  std::string page() const {
    const auto found = run();
    const auto path = dir_ / "report.html";
    write_page(found, report_of(found), measure_fishing(found, 0, found.end),
               measure_granularity(found, 0, found.end), path.string());
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

inline const FunctionAudit& function(const Report& report, std::uint32_t code) {
  const auto found = std::find_if(report.functions.begin(), report.functions.end(),
                                  [code](const auto& each) { return each.code == code; });
  EXPECT_NE(found, report.functions.end());
  return *found;
}

}  // namespace trawl::test
