// profiles/: two runs beside each other.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "profiles/activity.hpp"
#include "profiles/beside.hpp"
#include "profiles/report/report.hpp"
#include "profiles/summary.hpp"
#include "profiles/work_summary.hpp"
#include "tests/unit/profile_run.hpp"

namespace trawl::profile {
namespace {

using nlohmann::json;
using test::ProfileTest;

json function(const char* name, int threads, double ran) {
  return {{"function", std::string(name) + "(long)"},
          {"short", name},
          {"threads", threads},
          {"ran", ran},
          {"mean", threads == 0 ? 0 : ran / threads},
          {"blocked", 0},
          {"exported", 0},
          {"on_path", 0}};
}

json summary_of(double runtime, double busy, const json& functions) {
  return {{"from", 1},
          {"to", 1 + runtime},
          {"total", {{"threads", 7}}},
          {"report",
           {{"shares", {{"busy", busy}}}, {"functions", functions}, {"critical_path", nullptr}}}};
}

const json& quantity(const json& beside, const std::string& name) {
  for (const auto& each : beside["quantities"])
    if (each["name"] == name) return each;
  static const json none;
  return none;
}

TEST(ProfileBeside, WhatChangedMostComesFirst) {
  const auto both =
      beside(summary_of(2, 0.5, json::array({function("a", 4, 1), function("b", 1, 3)})),
             summary_of(1, 0.75, json::array({function("a", 5, 1.25), function("c", 2, 0.5)})));
  EXPECT_EQ(quantity(both, "elapsed")["first"], 2);
  EXPECT_EQ(quantity(both, "elapsed")["second"], 1);
  EXPECT_TRUE(quantity(both, "FISH")["first"].is_null());
  EXPECT_TRUE(quantity(both, "path: messages")["first"].is_null());
  ASSERT_EQ(both["functions"].size(), 3u);
  EXPECT_EQ(both["functions"][0]["short"], "b");
  EXPECT_EQ(both["functions"][0]["second"]["threads"], 0);
  EXPECT_EQ(both["functions"][1]["short"], "c");
  EXPECT_EQ(both["functions"][2]["second"]["ran"], 1.25);

  const auto table = beside_table(both, "one", "an\x1bother");
  for (const char* part :
       {"A: one\n", "B: an?other\n", "x 0.5\n", "+25.0\n", "  =\n", "new\n", "-"})
    EXPECT_NE(table.find(part), std::string::npos) << part << table;
}

TEST(ProfileBeside, MeanLengthIsThatOfAllThreads) {
  auto run = summary_of(2, 0.5, json::array());
  const auto mean = [&run] { return quantity(beside(run, run), "mean length")["first"]; };
  EXPECT_TRUE(mean().is_null());
  run["work"]["threads"] = {{"count", 1}, {"mean", 0.4}};
  run["work"]["threads_of_imported"] = {{"count", 3}, {"mean", 0.8}};
  EXPECT_DOUBLE_EQ(mean().get<double>(), 0.7);
  run["work"]["threads"]["count"] = run["work"]["threads_of_imported"]["count"] = 0;
  EXPECT_EQ(mean(), 0);
}

TEST_F(ProfileTest, ARunBesideItselfHasNotChanged) {
  write_known();
  const auto found = run();
  const auto activity = measure(found, 0, found.end, 10);
  const auto fishing = measure_fishing(found, 0, found.end);
  const auto granularity = measure_granularity(found, 0, found.end);
  auto summary = to_json(activity);
  summary["work"] = work_json(fishing, granularity);
  summary["report"] = report_json(measure_report(found, 0, found.end, fishing, granularity));
  const auto both = beside(summary, summary);
  for (const auto& each : both["quantities"]) {
    EXPECT_EQ(each["first"], each["second"]);
    EXPECT_FALSE(each["first"].is_null()) << each["name"] << " is in no summary";
  }
  EXPECT_FALSE(both["functions"].empty());
  for (const auto& each : both["functions"]) EXPECT_EQ(each["first"], each["second"]);
}

}  // namespace
}  // namespace trawl::profile
