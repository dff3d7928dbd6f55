// Every policy on simulated grids of two clusters: the right answer, every FISH resolved, nothing
// left; a far steal under each of them; and a slow PE that nobody waits for.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "rts/balance/policy.hpp"
#include "rts/simulate.hpp"
#include "tests/unit/units.hpp"

namespace trawl {
namespace {

constexpr Nanos micro = 1'000;

long tree(int depth) {
  Simulation::work(200 * micro);
  if (depth == 0) return 1;
  auto left = spawn<tree>(depth - 1);
  const long right = tree(depth - 1);
  return left.sync() + right;
}

long leaf(long n) {
  Simulation::work(n % 7 * 300 * micro);
  return n;
}

Simulation::Config two_clusters(const std::string& policy, int pes, Nanos latency, unsigned seed) {
  Simulation::Config config;
  config.net.pes = pes;
  config.net.seed = seed;
  config.net.one_at_a_time = true;
  config.net.bytes_per_nano = 0.1;
  config.net.latency_between = [pes, latency](int from, int to) {
    return (from < pes / 2) == (to < pes / 2) ? 20 * micro : latency;
  };
  config.options.policy = policy;
  for (int pe = 0; pe < pes; ++pe) {
    config.cluster.push_back(pe < pes / 2 ? "here" : "there");
    config.net.speed.push_back(pe % 2 == 0 ? 1.0 : 0.4);
  }
  return config;
}

std::uint64_t total_of(Simulation& grid, Count what, int from = 0) {
  std::uint64_t all = 0;
  for (int pe = from; pe < grid.size(); ++pe)
    all += grid.pe(pe).statistics()[static_cast<std::size_t>(what)];
  return all;
}

class Clusters : public testing::TestWithParam<std::string_view> {};

TEST_P(Clusters, RightAnswersAndEveryFishResolved) {
  unsigned seed = 0;
  for (const int pes : {2, 3, 4, 8}) {
    for (const Nanos latency : {50 * micro, 2 * ms, 20 * ms}) {
      SCOPED_TRACE(std::to_string(pes) + " PEs, " + std::to_string(latency) + " ns");
      Simulation grid(two_clusters(std::string(GetParam()), pes, latency, ++seed));
      grid.run([] {
        EXPECT_EQ(tree(9), 512);
        std::vector<Lazy<long>> leaves;
        for (long n = 0; n < 200; ++n) leaves.push_back(par(lazy<leaf>(n)));
        long all = 0;
        for (const auto& each : leaves) all += force(each);
        EXPECT_EQ(all, 199 * 100);
      });
      grid.settle();
      std::uint64_t under_way = 0;
      for (int pe = 0; pe < pes; ++pe) {
        under_way += grid.pe(pe).fishing().outstanding();
        EXPECT_LE(grid.pe(pe).fishing().outstanding(), 1U + static_cast<unsigned>(pes));
        EXPECT_EQ(grid.pe(pe).workers().live_threads(), 0U);
      }
      EXPECT_EQ(total_of(grid, Count::fish_sent), total_of(grid, Count::fish_answered) +
                                                      total_of(grid, Count::fish_home_empty) +
                                                      under_way);
      EXPECT_EQ(total_of(grid, Count::sparks_exported), total_of(grid, Count::sparks_imported));
      EXPECT_GT(total_of(grid, Count::sparks_converted, pes / 2), 0U)
          << "nobody there got any work";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Balance, Clusters, testing::ValuesIn(balance::policy_names()),
                         [](const auto& each) { return std::string(each.param); });

long busy(long time) {
  Simulation::work(time);
  return time;
}

// Grid-GUM2, section 3: one FISH of a strong cluster is answered by several sparks, and that
// cluster shares them out.
TEST(SuperSchedule, IsSharedOutByTheThiefsCluster) {
  for (const auto* policy : {"targeted", "trawl"}) {
    SCOPED_TRACE(policy);
    Simulation::Config config;
    config.net.grid = fabric::parse_grid(R"({
      "clusters": [{"name": "weak", "pes": 1, "speed": 0.25}, {"name": "strong", "pes": 8}],
      "between": {"latency": "20 ms", "bandwidth": "1 MB/s"}})",
                                         "weak and strong");
    config.net.pes = 9;
    config.options.policy = policy;
    Simulation grid(config);
    grid.run([] {
      std::vector<Lazy<long>> tasks;
      for (int i = 0; i < 800; ++i) tasks.push_back(par(lazy<busy>(20 * ms)));
      for (const auto& each : tasks) force(each);
    });
    const auto of = [&](int pe, Count what) {
      return grid.pe(pe).statistics()[static_cast<std::size_t>(what)];
    };
    EXPECT_GE(of(0, Count::sparks_exported), 2 * of(0, Count::fish_answered));
    EXPECT_GT(total_of(grid, Count::sparks_exported, 1), 0U);
    std::vector<std::uint64_t> shares;
    for (int pe = 1; pe < 9; ++pe) shares.push_back(of(pe, Count::threads_created));
    const auto [least, most] = std::minmax_element(shares.begin(), shares.end());
    EXPECT_GE(2 * *least, *most);
  }
}

// A slow PE is given none of the last pieces; but not for as long as one takes that is much longer
// than the others.
TEST(Unequal, ASlowThiefGetsTheLastOneIfOthersAreAtALongOne) {
  Simulation::Config config;
  config.net.grid = fabric::parse_grid(R"({
    "clusters": [
      {"name": "fast", "pes": 1, "workers": 2, "speed": 1, "latency": "1 us", "bandwidth": "1 GB/s"},
      {"name": "slow", "pes": 1, "speed": 0.25, "latency": "1 us", "bandwidth": "1 GB/s"}],
    "between": {"latency": "100 us", "bandwidth": "100 MB/s"}})",
                                       "unequal");
  config.net.pes = 2;
  Simulation simulation(config);
  simulation.run([] {
    constexpr long longest = 10'000 * ms;
    constexpr long piece = 20 * ms;
    std::vector<Lazy<long>> tasks;  // the oldest go first; the slow PE has the second
    for (const long time : {piece, piece, piece, piece, longest, piece})
      tasks.push_back(par(lazy<busy>(time)));
    while (!tasks.back().evaluated()) Simulation::work(ms);
    EXPECT_GT(Simulation::clock_here(), 10 * piece) << "at first it is refused";
    EXPECT_LT(Simulation::clock_here(), longest / 2);
    for (const auto& each : tasks) force(each);
  });
}

}  // namespace
}  // namespace trawl
