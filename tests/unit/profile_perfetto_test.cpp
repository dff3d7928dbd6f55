// profiles/: what ui.perfetto.dev opens.
#include <algorithm>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "profiles/perfetto.hpp"
#include "rts/trace/codes.hpp"
#include "rts/trace/log.hpp"
#include "tests/unit/profile_run.hpp"

namespace trawl::profile {
namespace {

using nlohmann::json;
using test::ProfileTest;
using trace::Kind;
using trace::Log;

json events_of(const std::string& file) {
  std::ifstream in(file);
  return json::parse(in).at("traceEvents");
}

/// Those of a phase, and of a name if one is given.
std::vector<json> of(const json& events, const std::string& phase, const std::string& name = "") {
  std::vector<json> found;
  std::copy_if(events.begin(), events.end(), std::back_inserter(found), [&](const json& event) {
    return event["ph"] == phase && (name.empty() || event["name"] == name);
  });
  return found;
}

TEST_F(ProfileTest, PerfettoHasALaneAWorkerWithItsThreads) {
  write_codes({"fib(long int)"});
  auto with = setup(0, 1);
  with.workers = 2;
  {
    time_ = 500;
    Log log(with);
    log.set_offset(-500);
    at(log, 0, Kind::thread_start, 0, 256);  // the root
    at(log, 0, Kind::thread_run, 0, 256);
    at(log, 1000, Kind::thread_block, 0, 256);
    log.event(Kind::spark_convert, 1, 0, 1, 257);
    at(log, 2000, Kind::thread_start, 1, 257);
    at(log, 2000, Kind::thread_run, 1, 257);
    at(log, 3000, Kind::load, 0, 6);
    at(log, 3500, Kind::gc_begin);
    at(log, 4000, Kind::gc_end);
    at(log, 5000, Kind::thread_end, 1, 257);
    at(log, 5000, Kind::idle_begin, 1);
    at(log, 7500, Kind::idle_end, 1);
  }
  const auto found = run();
  const auto file = (dir_ / "trace.json").string();
  write_perfetto(found, 0, found.end, file);
  const auto events = events_of(file);
  const auto root = of(events, "X", "root");
  const auto spark = of(events, "X", "fib(long int)");
  const auto idle = of(events, "X", "idle");
  ASSERT_EQ(root.size(), 1U);
  ASSERT_EQ(spark.size(), 1U);
  ASSERT_EQ(idle.size(), 1U);
  EXPECT_EQ(root[0]["dur"], 1);
  EXPECT_EQ(root[0]["args"]["then"], "waits for a value of fib(long int)");
  EXPECT_EQ(spark[0]["ts"], 2);
  EXPECT_EQ(spark[0]["dur"], 3);
  EXPECT_EQ(spark[0]["args"]["from another PE"], true);
  EXPECT_EQ(idle[0]["dur"], 2.5);
  EXPECT_NE(spark[0]["tid"], root[0]["tid"]);
  EXPECT_EQ(spark[0]["tid"], idle[0]["tid"]);
  EXPECT_EQ(of(events, "X", "collection").at(0)["dur"], 0.5);
  EXPECT_EQ(of(events, "C", "sparks").at(0)["args"]["value"], 6);
}

TEST_F(ProfileTest, PerfettoJoinsTheEndsOfAMessageByAnArrow) {
  for (const int pe : {0, 1}) {
    time_ = 500;
    Log log(setup(pe, 2));
    log.set_offset(-500);
    const auto kind = pe == 0 ? Kind::message_sent : Kind::message_received;
    for (const std::size_t size : {100U, 5'000U}) {
      time_ += 2000;
      log.message(kind, 1 - pe, 1, pe == 0 ? size : 5'100 - size);  // the short one overtakes
    }
    if (pe == 0) log.message(kind, 1, 0, 50);  // it never arrives
    time_ += 2000;
  }
  const auto found = run();
  const auto file = (dir_ / "trace.json").string();
  write_perfetto(found, 0, found.end, file);
  const auto events = events_of(file);
  EXPECT_EQ(of(events, "X", "SCHEDULE").size(), 4U);
  EXPECT_EQ(of(events, "X", "FISH").size(), 1U);
  const auto begins = of(events, "s");
  const auto ends = of(events, "f");
  ASSERT_EQ(begins.size(), 2U);
  ASSERT_EQ(ends.size(), 2U);
  EXPECT_EQ(begins[0]["id"], ends[1]["id"]);
  EXPECT_EQ(begins[1]["id"], ends[0]["id"]);
}

TEST_F(ProfileTest, PerfettoFileThatCanNotBeWrittenIsAnErrorNamingIt) {
  write_known();
  const auto nowhere = (dir_ / "missing" / "trace.json").string();
  try {
    write_perfetto(run(), 0, 1000, nowhere);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), 2);
    EXPECT_NE(std::string(error.what()).find(nowhere + ": No such file"), std::string::npos);
  }
}

}  // namespace
}  // namespace trawl::profile
