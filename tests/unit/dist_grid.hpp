// Grids of 1 to 8 PEs for tests of skeletons, and functions that these are given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/dist.hpp>
#include <trawl/trawl.hpp>

#include "rts/simulate.hpp"
#include "tests/unit/grid_weights.hpp"

namespace trawl::test {

/// Runs `root` in grids of several sizes.
class Skeletons : public testing::TestWithParam<int> {
 protected:
  void run(const std::function<void()>& root) { run(config(), root); }
  void run(const Simulation::Config& its_config, const std::function<void()>& root) {
    simulation_.reset();
    simulation_ = std::make_unique<Simulation>(its_config);
    simulation_->run(root);
    simulation_->settle();
    expect_nothing_runs();
    expect_weights_conserved(*simulation_);
  }
  static Simulation::Config config() {
    Simulation::Config config;
    config.net.pes = GetParam();
    config.net.seed = 7;
    return config;
  }
  /// Each PE has two.
  static Simulation::Config two_workers() {
    auto two = config();
    two.net.grid = fabric::parse_grid(
        R"({"clusters": [{"name": "a", "workers": 2, "pes": )" + std::to_string(GetParam()) + "}]}",
        "two_workers");
    return two;
  }
  Simulation& simulation() { return *simulation_; }
  bool alone() const { return GetParam() == 1; }
  std::uint64_t count(int pe, Count what) {
    return simulation_->pe(pe).statistics()[static_cast<std::size_t>(what)];
  }

 private:
  void expect_nothing_runs() {
    for (int i = 0; i < simulation_->size(); ++i) {
      EXPECT_TRUE(simulation_->pe(i).workers().at_rest(nullptr)) << i;
      EXPECT_EQ(simulation_->pe(i).workers().live_threads(), 0U) << i;
      EXPECT_EQ(simulation_->pe(i).shared_heap().blocking_queues(), 0U) << i;
    }
  }

  std::unique_ptr<Simulation> simulation_;
};

/// Time for others to take what there is to take.
inline void let_others_work_a_while() {
  for (int i = 0; i < 100; ++i) Simulation::work(200'000);
}

inline constexpr auto grids = {1, 2, 3, 4, 8};

inline long index_of(std::size_t i) {
  return static_cast<long>(i);
}
inline long plus(long a, long b) {
  return a + b;
}
inline std::string joined(const std::string& a, const std::string& b) {
  return a + b;
}
/// Of a table of n by n, where each knows where it is.
inline std::vector<std::size_t> row(std::size_t i, std::size_t n) {
  std::vector<std::size_t> all(n);
  std::iota(all.begin(), all.end(), i * n);
  return all;
}

}  // namespace trawl::test
