// Steals in other clusters: what they took, and where work comes from.
#include <gtest/gtest.h>

#include "tests/unit/balance_inputs.hpp"

namespace trawl::balance {
namespace {

TEST(Steals, TheLastStealCounts) {
  Tables tables(0, 3);
  for (const int pe : {1, 2}) set_static(tables, pe, {.cluster = static_cast<unsigned>(pe)});
  EXPECT_LT(tables.last_steal(1).took, 0);
  EXPECT_EQ(tables.fastest_steal(), 0);
  EXPECT_LT(tables.best_steal().took, 0);
  EXPECT_EQ(tables.best_steal().price(), 0);
  tables.note_steal(1, 500, 7, false);
  tables.note_steal(1, 700, 9, false);
  EXPECT_EQ(tables.last_steal(1).took, 700);
  EXPECT_EQ(tables.last_steal(1).ended, 9);
  EXPECT_EQ(tables.last_steal(1).in_vain, 2U);
  EXPECT_EQ(tables.fastest_steal(), 700);
  tables.note_steal(2, 600, 9, true);
  EXPECT_EQ(tables.last_steal(2).in_vain, 0U);
  EXPECT_EQ(tables.fastest_steal(), 600);
  tables.note_steal(2, 900, 9, true);
  EXPECT_EQ(tables.fastest_steal(), 700);
}

TEST(Steals, TheBestStealBringsWorkSoonest) {
  Tables tables(0, 3);
  for (const int pe : {1, 2}) set_static(tables, pe, {.cluster = static_cast<unsigned>(pe)});
  tables.note_steal(2, 900, 1, true);
  tables.note_steal(1, 500, 1, true);
  EXPECT_EQ(tables.best_steal().took, 500);
  tables.note_steal(1, 500, 2, false);  // one of two brings work
  EXPECT_EQ(tables.last_steal(1).price(), 1000);
  EXPECT_EQ(tables.best_steal().took, 900);
  tables.note_steal(2, 900, 2, false);
  EXPECT_EQ(tables.best_steal().took, 500);
  for (int i = 3; i < 8; ++i) tables.note_steal(1, 500, i, false);
  EXPECT_EQ(tables.best_steal().took, 900);
  tables.note_steal(1, 500, 9, true);
  EXPECT_EQ(tables.best_steal().price(), 500);
  tables.forget(1);
  tables.note_steal(2, 900, 10, true);
  EXPECT_EQ(tables.best_steal().took, 900) << "the other cluster is dead";
}

}  // namespace
}  // namespace trawl::balance
