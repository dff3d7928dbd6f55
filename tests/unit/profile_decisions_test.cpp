// profiles/: what was decided about steps of skeletons.
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "profiles/decisions.hpp"
#include "tests/unit/profile_run.hpp"

namespace trawl::profile {
namespace {

using test::ProfileTest;
using trace::Kind;

class ProfileDecisions : public ProfileTest {
 protected:
  void write_log() {
    time_ = 500;
    trace::Log log(setup(0, 2));
    log.set_offset(-500);
    decide(log, 300'000, false);
    at(log, 350'000, Kind::load, 0, 3);
    decide(log, 600'000, true);
    time_ = 500 + 1'000'000;
  }

 private:
  // From 3 : 1 to 1 : 1.
  void decide(trace::Log& log, Nanos time, bool moves) {
    time_ = 500 + time;
    log.event(Kind::balance, 0, 12, moves ? 1 : 0, 900, 600);
    log.event(Kind::balance_share, 0, 0, 500, 750, 0);
    log.event(Kind::load, 0, 3);  // of another worker
    log.event(Kind::balance_share, 0, 1, 500, 250, 16);
  }
};

TEST_F(ProfileDecisions, AreReadWithTheirShares) {
  write_log();
  const auto all = find_decisions(run(), 0, 1'000'000);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_FALSE(all[0].moves);
  const auto& moved = all[1];
  EXPECT_TRUE(moved.moves);
  EXPECT_EQ(moved.time, 600'000);
  EXPECT_EQ(moved.before, 900e3);
  EXPECT_EQ(moved.after, 600e3);
  EXPECT_EQ(moved.bytes, 12 * 1024);
  ASSERT_EQ(moved.parts.size(), 2U);
  EXPECT_EQ(moved.parts[1].pe, 1U);
  EXPECT_EQ(moved.parts[1].before, 0.25);
  EXPECT_EQ(moved.parts[1].after, 0.5);
  EXPECT_EQ(moved.parts[1].come, 16U);
  EXPECT_EQ(find_decisions(run(), 400'000, 1'000'000).size(), 1U) << "of a window";
}

TEST_F(ProfileDecisions, AreSaid) {
  write_log();
  const auto all = find_decisions(run(), 0, 1'000'000);
  const auto table = decisions_table(all);
  EXPECT_NE(table.find("shards moved 1 times of 2"), std::string::npos) << table;
  EXPECT_NE(table.find("nothing moved: it did not pay"), std::string::npos) << table;
  EXPECT_NE(table.find("12 KiB moved: PE 0 75.0 to 50.0 %, PE 1 25.0 to 50.0 %"), std::string::npos)
      << table;
  EXPECT_EQ(decisions_table({}), "");
  const auto json = decisions_json(all);
  EXPECT_EQ(json[1]["shares"][1]["shards_come"], 16);
  EXPECT_EQ(json[0]["moves"], false);
}

}  // namespace
}  // namespace trawl::profile
