// For tests of profiles/: logs of runs that are known, written to a directory of the test's own.
#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "profiles/activity.hpp"
#include "profiles/fishing.hpp"
#include "profiles/granularity.hpp"
#include "profiles/perfetto.hpp"
#include "profiles/read.hpp"
#include "profiles/report/report.hpp"
#include "profiles/summary.hpp"
#include "profiles/work_summary.hpp"
#include "rts/trace/codes.hpp"
#include "rts/trace/log.hpp"

namespace trawl::test {

/// Tests in several files are of this suite, so what only some of them call is here as well.
class ProfileTest : public testing::Test {
 protected:
  void SetUp() override {
    dir_ = std::filesystem::path(testing::TempDir()) /
           (std::string("trawl_profile_") + std::to_string(::getpid()) + "_" +
            testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(dir_);
    std::filesystem::create_directories(dir_);
    write_codes({});  // a run always has them
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }

  void write_codes(const std::vector<std::string>& names) {
    std::ofstream(dir_ / trace::codes_file) << trace::encode_codes(names);
  }

  trace::Setup setup(int pe, int pes) {
    trace::Setup with;
    with.dir = dir_.string();
    with.pe = pe;
    with.pes = pes;
    with.program = "fib";
    with.buffer = 4096;
    with.clock = [this] { return time_; };
    return with;
  }

  void at(trace::Log& log, Nanos time, trace::Kind kind, unsigned worker = 0,
          std::uint32_t value = 0) {
    time_ = 500 + time;  // 500: this PE's clock is ahead of the run's
    log.event(kind, worker, value);
  }

  /// 1000 ns: idle 100, one thread 300 (of it 100 with a second one runnable), collection 100, one
  /// thread 100, only a blocked one 200, the woken one 100, idle 100.
  void write_known(int pe = 0, int pes = 1) {
    time_ = 500;
    trace::Log log(setup(pe, pes));
    log.set_offset(-500);
    at(log, 100, trace::Kind::thread_start);
    at(log, 100, trace::Kind::thread_run);
    at(log, 200, trace::Kind::thread_start);
    at(log, 300, trace::Kind::thread_end);
    at(log, 300, trace::Kind::thread_run);
    at(log, 400, trace::Kind::gc_begin);
    at(log, 500, trace::Kind::gc_end);
    at(log, 600, trace::Kind::thread_block);
    at(log, 700, trace::Kind::load, 0, 6);
    at(log, 800, trace::Kind::thread_resume);
    at(log, 800, trace::Kind::thread_run);
    at(log, 900, trace::Kind::thread_end);
    at(log, 900, trace::Kind::load, 0, 0);
    time_ = 1500;
  }

  std::string path(int pe = 0) const { return (dir_ / trace::file_name(pe)).string(); }

  std::string contents(int pe = 0) const {
    std::ifstream in(path(pe), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  void overwrite(const std::string& bytes, int pe = 0) const {
    std::filesystem::remove(
        path(pe));  // a new file: some file systems write a shortened one to the disk at once
    std::ofstream(path(pe), std::ios::binary | std::ios::trunc) << bytes;
  }

  profile::Run run() const { return profile::open_run(dir_.string()); }

  /// Reads and sums up whatever is there, if anything; how many events were readable, or -1.
  long digest() const {
    try {
      const auto found = run();
      const auto activity = measure(found, 0, found.end, 10);
      double time = 0;
      for (const auto& pe : activity.pes) time += pe.total.busy + pe.total.gc;
      EXPECT_TRUE(std::isfinite(time));
      EXPECT_FALSE(table(activity).empty());
      EXPECT_LT(found.damage.size(), 100U);
      return static_cast<long>(found.logs.front().events);
    } catch (const Error& error) {
      EXPECT_EQ(error.exit_code(), 2) << error.what();
      return -1;
    }
  }

  /// Sums up how work travelled, judges it, and writes the trace.
  void digest_work() const {
    const auto found = run();
    const auto fishing = profile::measure_fishing(found, 0, found.end);
    const auto granularity = profile::measure_granularity(found, 0, found.end);
    EXPECT_FALSE(work_table(matrix(fishing, found, 8), fishing.beliefs, granularity).empty());
    EXPECT_FALSE(work_json(fishing, granularity).empty());
    const auto report = measure_report(found, 0, found.end, fishing, granularity);
    EXPECT_FALSE(report_table(report).empty());
    const auto trace = dir_ / "trace.json";
    write_perfetto(found, 0, found.end, trace.string());
    std::ifstream in(trace);
    EXPECT_TRUE(nlohmann::json::accept(in));
  }

  std::filesystem::path dir_;
  Nanos time_ = 0;
};

}  // namespace trawl::test
