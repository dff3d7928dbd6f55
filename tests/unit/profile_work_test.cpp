// profiles/: how work travelled in known runs.
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "profiles/draw_work.hpp"
#include "profiles/fishing.hpp"
#include "profiles/granularity.hpp"
#include "profiles/work_summary.hpp"
#include "rts/fabric/kinds.hpp"
#include "rts/trace/log.hpp"
#include "tests/unit/profile_run.hpp"

namespace trawl::profile {
namespace {

using test::ProfileTest;
using trace::Kind;
using trace::Log;

class WorkTest : public ProfileTest {
 protected:
  void note(Log& log, Nanos time, Kind kind, std::uint32_t value, std::uint16_t extra = 0,
            std::uint32_t id = 0) {
    time_ = 500 + time;
    log.event(kind, 0, value, extra, id);
  }

  /// PE 0 asks PE 1 twice: PE 1 passes the first on to PE 2, who answers; the second comes home.
  void write_fishes(const std::string& cluster = "") {
    for (const int pe : {0, 1, 2}) {
      time_ = 500;
      auto with = setup(pe, 3);
      if (!cluster.empty()) with.cluster = cluster + (pe == 0 ? "0" : "1");
      Log log(with);
      log.set_offset(-500);
      if (pe == 0) {
        note(log, 100, Kind::fish_sent, 1, 7, 4);
        note(log, 300, Kind::spark_import, 2, 7);
        note(log, 350, Kind::spark_import, 2, 0);  // one more, by the same FISH
        note(log, 400, Kind::fish_sent, 1, 8, 0);
        note(log, 800, Kind::fish_home, 0, 8);
        note(log, 900, Kind::fish_home, 0, 9);  // its beginning is lost
      } else if (pe == 1) {
        note(log, 50, Kind::load, 6);
        note(log, 150, Kind::fish_forward, 2, 7, 0);
        note(log, 350, Kind::load, 0);
      } else {
        note(log, 200, Kind::spark_export, 0, 7, 3);
      }
      time_ = 1500;
    }
  }
};

TEST_F(WorkTest, FishesCountWhereTheyWereSentAndWhereTheyFound) {
  write_fishes();
  const auto found = run();
  const auto fishing = measure_fishing(found, 0, found.end);
  const auto& asked = fishing.by_pe.at({0, 1});
  EXPECT_EQ(asked.asked, 2U);
  EXPECT_EQ(asked.found, 0U);
  EXPECT_EQ(asked.forwarded, 1U);
  EXPECT_EQ(asked.in_vain, 1U);
  EXPECT_EQ(asked.mean_time(), 300);
  EXPECT_EQ(fishing.by_pe.at({0, 2}).found, 1U);
  EXPECT_EQ(fishing.by_pe.size(), 2U);
}

TEST_F(WorkTest, BeliefsAreComparedWithTheVictimsLoadAtThatTime) {
  write_fishes();
  const auto found = run();
  const auto beliefs = measure_fishing(found, 0, found.end).beliefs;
  EXPECT_EQ(beliefs.number(), 2U);
  EXPECT_EQ(beliefs.some[1][1], 1U);
  EXPECT_EQ(beliefs.some[0][0], 1U);
  EXPECT_EQ(beliefs.believed, 4);
  EXPECT_EQ(beliefs.had, 6);
  EXPECT_EQ(beliefs.error, 2);
}

TEST_F(WorkTest, WindowLeavesOutWhatWasSentBefore) {
  write_fishes();
  const auto fishing = measure_fishing(run(), 350, 900);
  EXPECT_EQ(fishing.by_pe.at({0, 1}).asked, 1U);
  EXPECT_EQ(fishing.by_pe.at({0, 1}).forwarded, 0U);
  EXPECT_EQ(fishing.by_pe.count({0, 2}), 0U);
}

TEST_F(WorkTest, ManyPesAreGroupedByCluster) {
  write_fishes("east");
  const auto found = run();
  const auto fishing = measure_fishing(found, 0, found.end);
  EXPECT_EQ(matrix(fishing, found, 3).names.size(), 3U);
  const auto fishes = matrix(fishing, found, 2);
  EXPECT_EQ(fishes.names, (std::vector<std::string>{"east0", "east1"}));
  EXPECT_EQ(fishes.at(0, 1).asked, 2U);
  EXPECT_EQ(fishes.at(0, 1).found, 1U);
  const auto text = work_table(fishes, fishing.beliefs, {});
  EXPECT_NE(text.find("2/1/1/1 300 ns"), std::string::npos) << text;
  const auto one = matrix(fishing, found, 1);
  EXPECT_EQ(one.names, std::vector<std::string>{"0 .."});
}

TEST_F(WorkTest, ThreadsHaveTheLengthOfWhatTheyRan) {
  {
    time_ = 500;
    Log log(setup(0, 1));
    log.set_offset(-500);
    note(log, 0, Kind::thread_start, 256);
    note(log, 0, Kind::thread_run, 256);
    note(log, 100, Kind::thread_block, 256);
    note(log, 100, Kind::spark_convert, 2, 1, 512);
    note(log, 100, Kind::thread_start, 512);
    note(log, 100, Kind::thread_run, 512);
    note(log, 133, Kind::thread_end, 512);
    note(log, 140, Kind::thread_resume, 256);
    note(log, 150, Kind::thread_run, 256);
    note(log, 200, Kind::thread_end, 256);
    note(log, 300, Kind::thread_end, 768);  // its beginning is lost
    log.message(Kind::message_sent, 1, static_cast<std::uint16_t>(fabric::Kind::schedule), 200);
    log.message(Kind::message_sent, 1, static_cast<std::uint16_t>(fabric::Kind::fish), 30);
  }
  const auto found = run();
  const auto granularity = measure_granularity(found, 0, found.end);
  EXPECT_EQ(granularity.own.number, 1U);
  EXPECT_EQ(granularity.own.mean(), 150);
  EXPECT_EQ(granularity.own.count[8], 1U) << "128 to 255";
  EXPECT_EQ(granularity.imported.number, 1U);
  EXPECT_EQ(granularity.imported.mean(), 33);
  EXPECT_EQ(granularity.packets.number, 1U);
  EXPECT_EQ(granularity.packets.mean(), 200);
  const auto json = work_json({}, granularity);
  EXPECT_EQ(json["threads"]["histogram"][0]["below"], 256e-9);
  EXPECT_EQ(json["spark_bytes"]["mean"], 200);
}

TEST_F(WorkTest, PictureIsDrawnOfAnyNumberOfPes) {
  write_fishes();
  const auto found = run();
  const auto fishing = measure_fishing(found, 0, found.end);
  for (const int most : {1, 2, most_drawn_groups}) {
    const WorkPicture work{"fib", matrix(fishing, found, most), fishing.beliefs,
                           measure_granularity(found, 0, found.end)};
    EXPECT_NO_THROW(draw_work_png(work, (dir_ / "work.png").string()));
    EXPECT_NO_THROW(draw_work_svg(work, (dir_ / "work.svg").string()));
  }
  EXPECT_GT(std::filesystem::file_size(dir_ / "work.png"), 1000U);
}

}  // namespace
}  // namespace trawl::profile
