// Loops that make each step's values from those of the last, which stay where they were made: what
// they were made from doesn't stay for ever, and what a PE had is made again.
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "rts/heap/pack.hpp"
#include "tests/unit/dying_grid.hpp"
#include "tests/unit/garbage.hpp"

namespace trawl::loops {
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

TEST(RecoverLoops, WhatStepsHaveLeftElsewhereIsMadeAgain) {
  const auto sum = test::run_dying_at_some_messages(test::grid_with_copies(3, 2), [] {
    EXPECT_EQ(edges_after(8, 0, [](int) {}), right_edges_after(8));
  });
  SCOPED_TRACE(sum.text());
  EXPECT_EQ(sum.not_made_again, 0U);
  EXPECT_GT(sum.cases.by_value, 0U);
}

#ifndef TRAWL_NO_COLLECTOR

/// What PE 0 knows of others at most, of what is looked at after each step of a loop.
template <class Loop>
std::size_t most_proxies(int copies, Loop loop) {
  Simulation simulation(test::grid_with_copies(4, copies));
  std::size_t most = 0;
  simulation.run([&] {
    loop([&](int step) {
      if (step % 10 != 9) return;
      for (int i = 0; i < 5; ++i) {
        test::collect_well();
        simulation.sweep();
        Simulation::work(10'000'000);
      }
      most = std::max(most, simulation.pe(0).shared_heap().addresses().proxies());
    });
  });
  EXPECT_EQ(simulation.finish(3).code, 3);
  return most;
}

constexpr int many_steps = 60;

TEST(RecoverLoops, WhatStepsWereMadeFromGoes) {
  const auto loop_with = [](std::size_t with_it) {
    return [with_it](auto at_end) {
      EXPECT_EQ(edges_after(many_steps, with_it, at_end), right_edges_after(many_steps));
    };
  };
  EXPECT_GT(most_proxies(0, loop_with(0)), many_steps * blocks);
  EXPECT_LT(most_proxies(2, loop_with(0)), 10 * blocks);
  EXPECT_LT(most_proxies(2, loop_with(cells_each)), 10 * blocks)
      << "where it is fetched by who needs it";
}

// ---- values most of whose parts are passed on

constexpr std::size_t rows_each = 6;

struct Rows {
  long edge = 0;
  std::vector<Lazy<Longs>> all;
};

Rows first_rows(std::size_t k) {
  Simulation::work(100'000);
  Rows rows{static_cast<long>(k), {}};
  for (std::size_t i = 0; i < rows_each; ++i)
    rows.all.push_back(Lazy<Longs>(Longs(cells_each, static_cast<long>(k + i))));
  return rows;
}

Rows next_rows(const Rows& left, const Rows& old, const Rows& right, std::size_t step) {
  Simulation::work(100'000);
  auto rows = old;
  auto& row = rows.all[step % rows_each];
  auto cells = force(row);
  for (long& cell : cells) cell += left.edge + 2 * right.edge;
  rows.edge = cells.back() % 1'000;
  row = Lazy<Longs>(std::move(cells));
  return rows;
}

template <class AtEnd>
void go_through_rows(AtEnd at_end) {
  std::vector<Lazy<Rows>> all;
  for (std::size_t k = 0; k < blocks; ++k) all.push_back(par(lazy<first_rows>(k)));
  let_others_evaluate();
  for (int step = 0; step < many_steps; ++step) {
    std::vector<Lazy<Rows>> next;
    for (std::size_t k = 0; k < blocks; ++k)
      next.push_back(par(lazy<next_rows>(all[(k + blocks - 1) % blocks], all[k],
                                         all[(k + 1) % blocks], static_cast<std::size_t>(step))));
    let_others_evaluate();
    for (const auto& each : next) force(each);
    all = std::move(next);
    at_end(step);
  }
}

// The way in which a value was found a second time may begin at what refers to it.
TEST(RecoverLoops, WhatIsPassedOnKeepsNothingForEver) {
  const auto loop = [](auto at_end) { go_through_rows(at_end); };
  EXPECT_GT(most_proxies(0, loop), many_steps * blocks);
  EXPECT_LT(most_proxies(2, loop), 4 * blocks * rows_each);
}

#endif

}  // namespace
}  // namespace trawl::loops
