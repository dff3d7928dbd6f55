// In which lines sparks are made: what a run notes of it, what is read from that, and that nobody
// else notices.
#include "rts/trace/sites.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "profiles/lines.hpp"
#include "profiles/replay/read_recording.hpp"
#include "profiles/tune/grain.hpp"
#include "rts/host/executable.hpp"
#include "rts/sched/spark_pool.hpp"
#include "rts/simulate.hpp"
#include "rts/trace/made.hpp"
#include "tests/unit/profile_report.hpp"

namespace {

using namespace trawl;
using profile::Line;
using trace::Kind;

long some(long n) {
  trawl::work(200'000);
  return n;
}

constexpr int first_line = __LINE__ + 2;
long sparked_in_two_lines() {
  auto one = spawn<some>(1L);
  const auto two = par(lazy<some>(2L));
  const auto three = one.sync();
  return three + force(two);
}

std::set<int> numbers(const std::vector<Line>& lines) {
  std::set<int> found;
  for (const auto& line : lines) {
    EXPECT_EQ(std::filesystem::path(line.file).filename(), "sites_test.cpp");
    found.insert(line.number);
  }
  return found;
}

class SitesTest : public test::ReportTest {
 protected:
  std::string recording() const { return (dir_ / "recording").string(); }

  static void run_program(const Options& options, int pes) {
    Simulation::Config config;
    config.options = options;
    config.net.pes = pes;
    Simulation simulation(config);
    simulation.run([] {
      for (int i = 0; i < 20; ++i) sparked_in_two_lines();
    });
    simulation.finish(0);
  }
};

TEST_F(SitesTest, AReportNamesTheLines) {
  Options options;
  options.trace = dir_.string();
  run_program(options, 3);
  const auto all = report();
  std::vector<Line> lines;
  for (const auto& each : all.functions)
    if (each.name.find("some") != std::string::npos)
      lines.insert(lines.end(), each.sites.begin(), each.sites.end());
  EXPECT_EQ(numbers(lines), (std::set{first_line, first_line + 1}));
  EXPECT_NE(report_table(all).find("sites_test.cpp:" + std::to_string(first_line)),
            std::string::npos);
  EXPECT_NE(page().find("sites_test.cpp:" + std::to_string(first_line + 1)), std::string::npos);
}

TEST_F(SitesTest, ARecordingKnowsTheLineOfEachSpark) {
  Options options;
  options.record = recording();
  run_program(options, 1);
  const auto graph = replay::read_recording(recording());
  const auto grains = tune::grains(graph, tune::lines_of_sites(graph), {});
  ASSERT_EQ(grains.size(), 2U);
  std::vector<Line> lines;
  for (const auto& grain : grains) {
    EXPECT_EQ(grain.sparks, 20U);
    EXPECT_EQ(grain.line.number, grain.thunks ? first_line + 1 : first_line);
    lines.push_back(grain.line);
  }
  EXPECT_EQ(numbers(lines).size(), 2U);
}

TEST_F(SitesTest, AnotherFileSaysNothing) {
  const auto place = executable().place_of(reinterpret_cast<std::uintptr_t>(&sparked_in_two_lines));
  ASSERT_TRUE(place);
  const std::vector<std::uint32_t> stack{*place};
  const auto number = [&stack](const std::string& path, const std::string& build) {
    return profile::Lines(path, build).of_program(stack).number;
  };
  ASSERT_FALSE(executable().build.empty());
  EXPECT_EQ(number(executable().path, executable().build), first_line - 1);
  EXPECT_EQ(number(executable().path, "00ff"), 0) << "built again since";
  EXPECT_EQ(number(executable().path + ".not", executable().build), 0);
  EXPECT_EQ(number(dir_.string(), executable().build), 0);
  EXPECT_EQ(number("/bin/sh", ""), 0);
  std::ofstream(dir_ / "text") << "no program\n";
  EXPECT_EQ(number((dir_ / "text").string(), ""), 0);
}

TEST_F(SitesTest, WhatDamageLeavesOfStacksSaysNothing) {
  {
    time_ = 500;
    auto of_this_file = setup(0, 1);
    of_this_file.file = executable().path;
    of_this_file.build = executable().build;
    trace::Log log(of_this_file);
    log.set_offset(-500);
    note(log, 0, Kind::spark_convert, 7, 0, 1);
    note(log, 0, Kind::thread_run, 1);
    const auto place =
        executable().place_of(reinterpret_cast<std::uintptr_t>(&sparked_in_two_lines));
    for (std::uint32_t i = 0; i < 100'000; ++i)  // never an end
      note(log, 1, Kind::spark_site, 7, 1, i);
    note(log, 2, Kind::spark_site, 8, 1, *place);  // of another one
    note(log, 3, Kind::spark_site, 7, 0, *place);  // whole
    note(log, 4, Kind::spark_site, 7, 0, 0xFFFFFFFF);
    note(log, 1000, Kind::thread_end, 1);
  }
  EXPECT_EQ(numbers(test::function(report(), 7).sites), std::set{first_line - 1});
}

TEST(Sites, AreToldOnceUntilThereAreTooMany) {
  std::uint64_t told = 0;
  std::set<std::uint32_t> codes;
  trace::Sites sites([&](std::uint32_t code, trace::StackPlaces) {
    ++told;
    codes.insert(code);
  });
  const char here[1000]{};
  EXPECT_EQ(sites.see(3, here), 1);
  EXPECT_EQ(sites.see(3, here + 1), 2);
  EXPECT_EQ(sites.see(4, here), 3);
  EXPECT_EQ(sites.see(3, here), 1);
  EXPECT_EQ(told, 3U);
  EXPECT_EQ(codes.size(), 2U);
  std::uint64_t refused = 0;
  for (const auto& each : here) refused += sites.see(5, &each) == 0;
  EXPECT_GT(refused, 0U);
  EXPECT_EQ(told + refused, 1003U);
  EXPECT_EQ(sites.see(3, here + 1), 2);
}

TEST_F(SitesTest, AReportTellsWhatBecameOfTheSparks) {
  Options options;
  options.trace = dir_.string();
  run_program(options, 3);
  double calls = 0, sparks = 0, ended = 0;
  for (const auto& each : report().functions) {
    if (each.name.find("some") == std::string::npos) continue;
    calls += each.calls;
    sparks += each.sparks;
    ended += each.subsumed() + each.fizzled() + static_cast<double>(each.threads()) -
             static_cast<double>(each.again);
  }
  EXPECT_EQ(calls, 20);
  EXPECT_EQ(sparks, 20);
  EXPECT_DOUBLE_EQ(ended, 40);
}

using Told = std::map<std::pair<std::uint32_t, bool>, std::uint64_t>;

Told told_of(trace::Made& made, std::uint64_t all) {
  Told told;
  made.tell(all, [&told](const auto& share) { told[{share.code, share.calls}] += share.sparks; });
  return told;
}

TEST(Made, WhatIsSeenIsExact) {
  trace::Made made;
  EXPECT_TRUE(told_of(made, 0).empty());
  for (std::uint64_t i = 1; i <= 30; ++i) made.see(i % 3 == 0 ? 8 : 7, i % 3 == 0, i);
  EXPECT_EQ(told_of(made, 30), (Told{{{7, false}, 20}, {{8, true}, 10}}));
  EXPECT_TRUE(told_of(made, 0).empty()) << "it begins anew";
}

TEST(Made, WhatIsNotSeenIsSharedOutAsWhatIsBesideIt) {
  trace::Made made;
  for (std::uint64_t i = 1; i <= 32; ++i) made.see(7, false, i);
  made.see(8, false, 101);  // of 100 of the first and one of the other
  auto told = told_of(made, 101);
  EXPECT_NEAR(static_cast<double>(told[std::pair(7, false)]), 98, 1);
  EXPECT_NEAR(static_cast<double>(told[std::pair(8, false)]), 3, 1);
  for (std::uint64_t burst = 0; burst < 10; ++burst)
    for (std::uint64_t i = 1; i <= 32; ++i)
      made.see(i % 2 == 0 ? 7 : 8, false, burst * 10'000'000'000 + i);
  told = told_of(made, 100'000'000'000);
  EXPECT_EQ(told, (Told{{{7, false}, 50'000'000'000}, {{8, false}, 50'000'000'000}}));
}

TEST(Made, WhatIsSeenAgainCountsOnce) {
  trace::Made made;
  made.see(7, false, 1);
  made.see(7, false, 1);
  made.see(8, false, 2);
  EXPECT_EQ(told_of(made, 2), (Told{{{7, false}, 1}, {{8, false}, 1}}));
}

TEST(Made, OfMoreFunctionsThanThereIsRoomForNoneIsLost) {
  trace::Made made;
  for (std::uint32_t code = 0; code < 100; ++code) made.see(code, false, code + 1);
  std::uint64_t all = 0;
  for (const auto& share : told_of(made, 1000)) all += share.second;
  EXPECT_EQ(all, 1000U);
}

TEST(Sites, AFewSparksAreLookedAtAndNobodyIsCalled) {
  std::uint64_t told = 0;
  trace::Sites sites([&told](std::uint32_t, trace::StackPlaces) { ++told; });
  int noticed = 0;
  sched::SparkPool pool(64, [&noticed] { ++noticed; });
  pool.tell([&sites](std::uint32_t code, bool call, const void* caller) {
    EXPECT_FALSE(call);
    sites.see(code, caller);
  });
  pool.look(3);
  heap::Node* const node = lazy<some>(1L).node();
  const char callers[8]{};
  for (int i = 0; i < 5; ++i) {
    pool.allow_quick();
    const bool pushed = pool.push_quickly(node) || pool.push(node, callers + i);
    EXPECT_TRUE(pushed);
  }
  EXPECT_EQ(told, 3U);
  EXPECT_EQ(noticed, 0);
  EXPECT_FALSE(pool.watched());
  EXPECT_EQ(pool.size(), 5U);
  pool.look(1);
  pool.watch();
  pool.allow_quick();
  EXPECT_FALSE(pool.push_quickly(node));
  pool.push(node, callers + 5);
  EXPECT_EQ(told, 4U);
  EXPECT_EQ(noticed, 1) << "who watches is told all the same";
  pool.allow_quick();
  EXPECT_TRUE(pool.push_quickly(node));
}

}  // namespace
