// Whose turn it is, whatever times are set in whatever order.
#include "rts/turns.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace trawl {
namespace {

TEST(Turns, TheEarliestIsFirstAndOfEqualsTheLowest) {
  for (const std::size_t count : {1U, 2U, 3U, 7U, 64U, 100U}) {
    Turns turns(count);
    std::vector<Nanos> times(count, never);
    std::mt19937_64 random(count);
    for (int i = 0; i < 5000; ++i) {
      const auto at = random() % count;
      times[at] = random() % 8 == 0 ? never : static_cast<Nanos>(random() % 16);
      turns.set(at, times[at]);
      const auto first = std::min_element(times.begin(), times.end());
      ASSERT_EQ(turns.first(), static_cast<std::size_t>(first - times.begin()));
      ASSERT_EQ(turns.earliest(), *first);
    }
  }
}

}  // namespace
}  // namespace trawl
