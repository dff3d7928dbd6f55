// Values that can't be copied, as arguments and as results.
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "rts/heap/collect.hpp"
#include "rts/heap/weak.hpp"
#include "rts/simulate.hpp"
#include "tests/unit/garbage.hpp"
#include "tests/unit/lang_grid.hpp"

namespace {

using trawl::Lazy;
using trawl::Simulation;
using namespace trawl::test;

class Grid {
 public:
  static inline int alive = 0;

  Grid() { ++alive; }
  explicit Grid(std::size_t n) : cells_(std::make_unique<std::vector<double>>(n, 1.5)) { ++alive; }
  Grid(Grid&& other) noexcept : cells_(std::move(other.cells_)) { ++alive; }
  Grid& operator=(Grid&&) noexcept = default;
  Grid(const Grid&) = delete;
  Grid& operator=(const Grid&) = delete;
  ~Grid() { --alive; }

  std::size_t size() const { return cells_ ? cells_->size() : 0; }
  double sum() const {
    double sum = 0;
    if (cells_)
      for (const double cell : *cells_) sum += cell;
    return sum;
  }

  template <class Archive>
  void save(Archive& archive) const {
    archive(*cells_);  // nobody packs what has been moved from
  }
  template <class Archive>
  void load(Archive& archive) {
    cells_ = std::make_unique<std::vector<double>>();
    archive(*cells_);
  }

 private:
  std::unique_ptr<std::vector<double>> cells_;
};

struct Row {
  int number = 0;
  std::vector<Grid> grids;
};

Grid grid(std::size_t n) {
  return Grid(n);
}
Grid grown(const Grid& grid, std::size_t by) {
  return Grid(grid.size() + by);
}
Row row(const std::vector<Grid>& grids, const std::optional<Grid>& last) {
  Row row;
  row.number = Simulation::here();
  for (const auto& each : grids) row.grids.push_back(Grid(each.size()));
  if (last) row.grids.push_back(Grid(last->size()));
  return row;
}
std::vector<Grid> grids(std::size_t n) {
  std::vector<Grid> all;
  for (std::size_t i = 1; i <= n; ++i) all.push_back(Grid(i));
  return all;
}
Grid no_grid(const Grid& grid) {
  throw std::out_of_range(std::to_string(grid.size()));
}

TEST_P(Lang, MoveOnlyValuesTravel) {
  run([this] {
    Grid three(3);
    const auto grown_here = trawl::lazy<grown>(std::move(three), 2U);
    EXPECT_EQ(trawl::force(grown_here).size(), 5U);
    EXPECT_EQ(three.size(), 0U);  // NOLINT(bugprone-use-after-move)
    const auto thrice = trawl::lazy<grown>(trawl::lazy<grown>(trawl::lazy<grid>(1U), 1U), 1U);
    const auto rows = trawl::lazy<row>(grids(4), std::optional<Grid>(Grid(9)));
    trawl::par(thrice);
    trawl::par(rows);
    const Lazy<Grid> there(Grid(7));
    let_others_work();
    EXPECT_DOUBLE_EQ(trawl::force(thrice).sum(), 4.5);
    EXPECT_EQ(trawl::force(rows).number == 0, alone());
    ASSERT_EQ(trawl::force(rows).grids.size(), 5U);
    EXPECT_EQ(trawl::force(rows).grids.back().size(), 9U);
    EXPECT_EQ(trawl::force(trawl::par(trawl::lazy<grown>(there, 1U))).size(), 8U);
    EXPECT_EQ(trawl::force(there).size(), 7U);
    EXPECT_THROW(trawl::force(trawl::lazy<no_grid>(Grid(1))), std::out_of_range);
  });
}

TEST_P(Lang, MoveOnlyValuesAreSpawned) {
  run([] {
    for (const bool pause : {false, true}) {
      auto x = trawl::spawn<grown>(Grid(3), 2U);
      auto y = trawl::spawn<grids>(4U);
      auto z = trawl::spawn<row>(grids(2), std::optional<Grid>());
      auto failed = trawl::spawn<no_grid>(Grid(1));
      auto abandoned = trawl::spawn<grown>(Grid(1), 1U);
      if (pause) let_others_work();
      EXPECT_THROW(failed.sync(), std::out_of_range);
      const Row rows = z.sync();
      EXPECT_EQ(rows.grids.size(), 2U);
      EXPECT_DOUBLE_EQ(y.sync().at(3).sum(), 6);
      EXPECT_EQ(x.sync().size(), 5U);
    }
  });
}

TEST_P(Lang, ListsOfMoveOnlyResults) {
  run([] {
    for (const std::size_t n : {3U, 3000U}) {
      std::vector<std::size_t> sizes;
      for (std::size_t i = 0; i < n; ++i) sizes.push_back(i % 5);
      const auto mapped = trawl::par_map<grid>(sizes);
      auto all = trawl::spawn_all<grid>(sizes);
      const auto spawned = all.sync();
      EXPECT_THROW(all.sync(), trawl::Error);
      ASSERT_EQ(mapped.size(), n);
      ASSERT_EQ(spawned.size(), n);
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_EQ(mapped[i].size(), i % 5);
        ASSERT_EQ(spawned[i].size(), i % 5);
      }
    }
  });
}

// Arrays of arguments are lent: until they are given back a spawned call has a name, and who
// fetches from the slot before it is told of it.
TEST_P(Lang, LargeMoveOnlyValues) {
  run([] {
    std::vector<Lazy<Grid>> values;
    for (std::size_t i = 0; i < 8; ++i) {
      auto x = trawl::spawn<grown>(Grid(100'000 + i), i);
      const auto y = trawl::par(trawl::lazy<grown>(Grid(50'000 + i), i));
      let_others_work();
      values.push_back(y);
      EXPECT_DOUBLE_EQ(x.sync().sum(), 1.5 * static_cast<double>(100'000 + 2 * i));
    }
    for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(trawl::force(values[i]).size(), 50'000 + 2 * i);
  });
}

#ifndef TRAWL_NO_COLLECTOR

[[gnu::noinline]] void use_grids() {
  for (std::size_t i = 0; i < 100; ++i) {
    const Lazy<Grid> kept{Grid(i)};
    EXPECT_EQ(trawl::force(trawl::par(trawl::lazy<grown>(kept, 1U))).size(), i + 1);
    static_cast<void>(trawl::lazy<grown>(Grid(i), 1U));
    auto abandoned = trawl::spawn<grown>(Grid(i), 1U);
    auto synced = trawl::spawn<grids>(3U);
    Simulation::work(300'000);
    EXPECT_EQ(synced.sync().size(), 3U);
  }
}

// Moved, their memory is the program's: it is given back by who destroys them.
TEST(MoveOnly, ValuesAreDestroyed) {
  for (const int pes : {1, 3}) {
    Simulation::Config config;
    config.net.pes = pes;
    Simulation simulation(config);
    const int before = Grid::alive;
    simulation.run(use_grids);
    for (int i = 0; i < 10; ++i) {
      trawl::test::collect_well();
      simulation.sweep();
      simulation.run([] { EXPECT_EQ(trawl::force(trawl::lazy<twice>(3)), 6); });
      simulation.settle();
    }
    trawl::test::collect_well();
    EXPECT_LT(Grid::alive - before, 100) << "of 600 and more";
  }
}

#endif

}  // namespace
