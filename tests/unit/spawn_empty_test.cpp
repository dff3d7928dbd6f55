// Arguments that take no room lie where their neighbours do.
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "rts/simulate.hpp"

namespace trawl {
namespace {

struct Less {
  bool operator()(int a, int b) const { return a < b; }
};

long count_less(const std::vector<int>& all, Less less, const std::string& name,
                const Lazy<long>& more) {
  long count = static_cast<long>(name.size()) + force(more);
  for (const int each : all) count += less(each, 3) ? 100 : 0;
  return count;
}

long count_of_two(const std::vector<int>& all, Less less) {
  long count = 0;
  for (const int each : all) count += less(each, 3) ? 100 : each;
  return count;
}

long one(long x) {
  return x;
}

long of_two(int more) {
  auto sum = spawn<count_of_two>(std::vector<int>{1, 2, 3, more}, Less{});
  return sum.sync();
}

long of_spawned(int more) {
  auto sum = spawn<count_less>(std::vector<int>{1, 2, 3, more}, Less{}, std::string(40, 'x'),
                               lazy<one>(7L));
  const long here = one(1000);
  return sum.sync() + here;
}

TEST(SpawnEmpty, NeighboursStayAsTheyAre) {
  for (const int pes : {1, 3}) {
    Simulation::Config config;
    config.net.pes = pes;
    Simulation grid(config);
    grid.run([] {
      for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(of_two(i), 203 + (i < 3 ? 100 : i));
        EXPECT_EQ(of_spawned(i), 1247 + (i < 3 ? 100 : 0));
      }
    });
    grid.settle();
  }
}

}  // namespace
}  // namespace trawl
