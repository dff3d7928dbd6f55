// Calls of spawn_some that come back, as their PE has died, while their inlet is busy.
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/spawn_some.hpp>

#include "tests/unit/dying_grid.hpp"

namespace trawl::test {
namespace {

long twice_in_time(long n) {
  Simulation::work(1'000'000);
  return 2 * n;
}

// With one worker nobody else would make them.
void show_all() {
  auto some = spawn_some<twice_in_time>(std::vector<long>(12, 1));
  long sum = 0;
  some.each([&sum](std::size_t, const long& result) {
    Simulation::work(3'000'000);
    sum += result;
  });
  EXPECT_EQ(sum, 24);
}

TEST(RecoverSpawnSome, CallsOfTheDeadAreMadeHere) {
  const auto tally = run_dying_at_each_message(dying_grid_of(2), show_all);
  EXPECT_GT(tally.revived, 0u) << tally.text();
  EXPECT_EQ(tally.not_made_again, 0u) << tally.text();
}

}  // namespace
}  // namespace trawl::test
