// What skeletons keep in memory.
#ifndef TRAWL_NO_COLLECTOR

#include <cstddef>
#include <vector>

#include "tests/unit/dist_grid.hpp"
#include "tests/unit/garbage.hpp"

namespace {

using namespace trawl::test;

class DistMemory : public Skeletons {
 protected:
  /// Of all PEs, once what nobody needs has gone: what refers to others' goes first.
  std::size_t slots_that_stay() {
    for (int i = 0; i < 5; ++i) {
      scrub_and_collect();
      simulation().sweep();
      simulation().settle();
    }
    std::size_t slots = 0;
    for (int pe = 0; pe < GetParam(); ++pe)
      slots += simulation().pe(pe).shared_heap().addresses().slots();
    return slots;
  }
};

// Of a loop's steps only those since the last copy are anywhere, and where there are no copies the
// last few: the last one, which is still there, refers to no other.
TEST_P(DistMemory, WhatIsNotNeededAnyMoreGoes) {
  constexpr int steps = 120;
  trawl::Dist<long> d;
  auto with_copies = config();
  with_copies.options.copies = 8;
  run(with_copies, [&d] {
    d = trawl::generate<index_of>(640);
    for (int i = 0; i < steps; ++i) d = trawl::map<plus>(d, 1L);
    EXPECT_EQ(d.size(), 640U);
  });
  EXPECT_LT(slots_that_stay(), 64U * steps / 4);
  EXPECT_EQ(d.shards(), 64U);
}

trawl::Lazy<long> next_kept(const trawl::Lazy<long>& before) {
  return trawl::keep(trawl::force(before) + 1);
}

// What `apply` has left behind in a loop has no copies: nothing is kept for it.
TEST_P(DistMemory, ALoopOfKeptValuesGoes) {
  trawl::Lazy<long> last;
  run([&last] {
    const auto place = trawl::places().back();
    last = trawl::keep(0L);
    for (int i = 0; i < 200; ++i) last = trawl::force(trawl::apply<next_kept>(place, last));
    EXPECT_EQ(trawl::force(last), 200);
  });
  EXPECT_LT(slots_that_stay(), 50U);
}

using Row = std::vector<double>;

Row row_of(std::size_t) {
  return Row(2000, 1.5);
}
Row between(const trawl::Around<Row>& around) {
  auto row = around[0];
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = (around[-1][i] + around[1][i]) / 2;
  return row;
}
double first_of(const Row& row) {
  return row.front();
}
double sum_of(double x, double y) {
  return x + y;
}

// Where there is one worker, the loop's thread evaluates all of this PE's itself. (Of what others
// have, a simulation lets go between two runs only.)
template <class Step>
void expect_only_the_last_few(Step step) {
  constexpr std::size_t rows = 64;
  constexpr std::size_t steps = 40;
  const auto before = live_bytes();
  auto plate = trawl::generate<row_of>(rows);
  for (std::size_t i = 0; i < steps; ++i) {
    plate = step(plate);
    EXPECT_EQ(trawl::force(trawl::reduce<first_of, sum_of>(plate)), 1.5 * rows);
  }
  EXPECT_LT(live_bytes(), before + rows * 2000 * sizeof(double) * steps / 4);
}

TEST_P(DistMemory, OnlyTheLastFewStepsAreInMemory) {
  if (!alone()) return;
  run([] {
    expect_only_the_last_few(
        [](const trawl::Dist<Row>& plate) { return trawl::stencil<between>(plate); });
  });
}

std::size_t rows_of(const trawl::Portion<Row>& own, int) {
  std::size_t rows = 0;
  for (const auto& shard : own) rows += shard.size();
  return rows;
}
std::size_t rows_for(const trawl::Portion<Row>& own, std::size_t others) {
  return rows_of(own, 0) + others;
}
double all_rows(const trawl::Portion<Row>& own,
                const std::vector<trawl::Lazy<std::size_t>>& others) {
  return static_cast<double>(rows_of(own, 0) + others.size());
}
Row as_before(const Row& row, double) {
  return row;
}

// The only place has nobody to describe its data to.
TEST_P(DistMemory, WhatTheOnlyPlaceNeedsOfItselfGoes) {
  if (!alone()) return;
  run([] {
    expect_only_the_last_few([](const trawl::Dist<Row>& plate) {
      const auto needed = trawl::essential<rows_of, rows_for, all_rows>(plate, 0);
      return trawl::map<as_before>(plate, needed);
    });
  });
}

INSTANTIATE_TEST_SUITE_P(Pes, DistMemory, testing::ValuesIn(grids));

}  // namespace
#endif
