// A PE's time begins when it joins.
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>
#include <unistd.h>

#include "profiles/activity.hpp"
#include "rts/fabric/grid_file.hpp"
#include "rts/simulate.hpp"
#include "tests/unit/units.hpp"

namespace trawl {
namespace {

long works(long i) {
  Simulation::work(20 * ms);
  return i;
}

/// A run of 2 s on two PEs, in which a third joins then; what its logs say.
profile::Run with_third(const std::string& then) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("joins." + std::to_string(getpid()));
  {
    Simulation::Config config;
    config.net.grid = fabric::parse_grid(R"({
      "clusters": [{"name": "a", "pes": 3}], "joins": [{"pe": 2, "at": ")" +
                                             then + R"("}]})",
                                         "three PEs");
    config.options.trace = folder.string();
    Simulation grid(config);
    grid.run([] {
      std::vector<Lazy<long>> all;
      for (long i = 0; i < 100; ++i) all.push_back(par(lazy<works>(i)));
      for (const auto& each : all) force(each);
    });
    grid.settle();
    grid.finish(0);
  }
  return profile::open_run(folder.string());
}

TEST(ProfileJoins, WhoJoinsIsNotIdleBefore) {
  const auto run = with_third("100 ms");
  const auto activity = profile::measure(run, 0, run.end, 10);
  std::filesystem::remove_all(std::filesystem::path(run.logs.front().path).parent_path());
  ASSERT_EQ(activity.pes.size(), 3U);
  EXPECT_EQ(activity.pes[1].came, 0);
  EXPECT_GE(activity.pes[2].came, 100 * ms);
  EXPECT_LT(activity.pes[2].came, 150 * ms);
}

TEST(ProfileJoins, WhoWouldHaveIsNotMissed) {
  const auto run = with_third("50 s");
  std::filesystem::remove_all(std::filesystem::path(run.logs.front().path).parent_path());
  EXPECT_EQ(run.logs.size(), 2U);
  EXPECT_TRUE(run.damage.empty()) << to_string(run.damage.front());
}

}  // namespace
}  // namespace trawl
