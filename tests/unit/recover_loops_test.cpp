// Loops that make each step's values from those of the last, which stay where they were made: what
// they were made from doesn't stay for ever, and what a PE had is made again.
#include <cstddef>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "rts/heap/pack.hpp"
#include "tests/unit/dying_grid.hpp"
#include "tests/unit/garbage.hpp"

namespace trawl {
namespace {

using Longs = std::vector<long>;

/// Too many to go along with what refers to them.
constexpr std::size_t cells_each = 3 * heap::PackLimits::large / sizeof(long);
constexpr std::size_t blocks = 4;

struct Block {
  long edge = 0;
  Lazy<Longs> cells;
  Longs with_it;
};

Block block(Longs cells, std::size_t with_it) {
  const long edge = cells.back() % 1'000;
  return {edge, Lazy<Longs>(std::move(cells)), Longs(with_it)};
}

Block first_block(std::size_t k, std::size_t with_it) {
  Simulation::work(100'000);
  return block(Longs(cells_each, static_cast<long>(k)), with_it);
}

Block next_block(const Block& left, const Block& old, const Block& right) {
  Simulation::work(100'000);
  auto cells = force(old.cells);
  for (long& cell : cells) cell += left.edge + 2 * right.edge;
  return block(std::move(cells), old.with_it.size());
}

/// So that the root, which needs the edges, evaluates none of them.
void let_others_evaluate() {
  for (int i = 0; i < 20; ++i) Simulation::work(50'000);
}

template <class AtEnd>
long edges_after(int steps, std::size_t with_it, AtEnd at_end) {
  std::vector<Lazy<Block>> all;
  for (std::size_t k = 0; k < blocks; ++k) all.push_back(par(lazy<first_block>(k, with_it)));
  let_others_evaluate();
  for (int step = 0; step < steps; ++step) {
    std::vector<Lazy<Block>> next;
    for (std::size_t k = 0; k < blocks; ++k)
      next.push_back(
          par(lazy<next_block>(all[(k + blocks - 1) % blocks], all[k], all[(k + 1) % blocks])));
    let_others_evaluate();
    for (const auto& each : next) force(each);
    all = std::move(next);
    at_end(step);
  }
  long sum = 0;
  for (const auto& each : all) sum += force(force(each).cells).front() % 1'000;
  return sum;
}

/// The same without any PE.
long right_edges_after(int steps) {
  std::vector<long> all(blocks);
  std::iota(all.begin(), all.end(), 0L);
  for (int step = 0; step < steps; ++step) {
    const auto edges = all;
    for (std::size_t k = 0; k < blocks; ++k)
      all[k] += edges[(k + blocks - 1) % blocks] % 1'000 + 2 * (edges[(k + 1) % blocks] % 1'000);
  }
  return std::accumulate(all.begin(), all.end(), 0L,
                         [](long sum, long each) { return sum + each % 1'000; });
}

/// What PE 0 knows of others at most.
std::size_t most_proxies(int copies, std::size_t with_it = 0) {
  Simulation simulation(test::grid_with_copies(3, copies));
  std::size_t most = 0;
  simulation.run([&] {
    const auto count = [&](int step) {
      if (step % 10 != 9) return;
      for (int i = 0; i < 5; ++i) {
        test::collect_well();
        simulation.sweep();
        Simulation::work(10'000'000);
      }
      most = std::max(most, simulation.pe(0).shared_heap().addresses().proxies());
    };
    EXPECT_EQ(edges_after(60, with_it, count), right_edges_after(60));
  });
  EXPECT_EQ(simulation.finish(3).code, 3);
  return most;
}

TEST(RecoverLoops, WhatStepsWereMadeFromGoes) {
  EXPECT_GT(most_proxies(0), 60 * blocks);
  EXPECT_LT(most_proxies(2), 10 * blocks);
  EXPECT_LT(most_proxies(2, cells_each), 10 * blocks) << "where it is fetched by who needs it";
}

TEST(RecoverLoops, WhatStepsHaveLeftElsewhereIsMadeAgain) {
  const auto sum = test::run_dying_at_some_messages(test::grid_with_copies(3, 2), [] {
    EXPECT_EQ(edges_after(8, 0, [](int) {}), right_edges_after(8));
  });
  SCOPED_TRACE(sum.text());
  EXPECT_EQ(sum.not_made_again, 0U);
  EXPECT_GT(sum.cases.by_value, 0U);
}

}  // namespace
}  // namespace trawl
