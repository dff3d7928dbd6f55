// What shards are said to have cost: the work that they took, whoever else was busy meanwhile.
#include <cstdint>
#include <vector>

#include <trawl/here.hpp>

#include "tests/unit/dist_grid.hpp"
#include "tests/unit/units.hpp"

namespace {

using trawl::ms;
using trawl::Simulation;
using namespace trawl::test;

class DistCost : public Skeletons {};

template <class T>
double seconds(const trawl::Dist<T>& d) {
  double sum = 0;
  for (const auto& holding : trawl::holdings(d)) sum += holding.seconds;
  return sum;
}

long late() {
  Simulation::work(500 * ms);
  return 1;
}
long takes_1_ms(long x, long late) {
  Simulation::work(ms);
  return x + late;
}

TEST_P(DistCost, WaitingIsNone) {
  if (alone()) return;
  run([] {
    const auto value = trawl::apply<late>(trawl::places().back());
    const auto d = trawl::map<takes_1_ms>(trawl::generate<index_of>(640), value);
    EXPECT_EQ(d.size(), 640U);
    EXPECT_NEAR(seconds(d), 0.64, 0.01);
  });
}

std::vector<long> by_all_workers(const std::vector<long>& shard) {
  trawl::here::for_each(shard.size(), [](std::size_t) { Simulation::work(ms); });
  return shard;
}

TEST_P(DistCost, ALoopsHelpersCountToo) {
  run(two_workers(), [] {
    const auto all = seconds(trawl::map_shards<by_all_workers>(trawl::generate<index_of>(640)));
    EXPECT_NEAR(all, 0.64, 0.01);
  });
}

INSTANTIATE_TEST_SUITE_P(Pes, DistCost, testing::ValuesIn(grids));

}  // namespace
