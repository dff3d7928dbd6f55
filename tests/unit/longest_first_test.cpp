#include "profiles/replay/longest_first.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/random_recording.hpp"

namespace {

using replay::longest_first;
using replay::Reach;

/// The root calls so many, of so many seconds each.
replay::Graph list(const std::vector<trawl::Nanos>& works) {
  return trawl::test::recorded([&](trawl::trace::Record& record) {
    for (const auto work : works) {
      record.sync(record.spawn(), 0);
      record.work(work * 1'000'000'000);
      record.end(0);
    }
  });
}

// Graham's example: 15 where the best takes 12.
TEST(LongestFirst, GivesWhatIsLongestToWhoIsDoneFirst) {
  const auto four = replay::reach_of(std::vector<double>(4, 1));
  EXPECT_DOUBLE_EQ(longest_first(list({4, 7, 5, 6, 4, 5, 7, 6, 4}), four), 15);
}

TEST(LongestFirst, TheLongOnesAreForTheFast) {
  const Reach one_and_three{{{1, 1, 0}, {3, 3, 0}}};
  EXPECT_DOUBLE_EQ(longest_first(list({2, 6, 2}), one_and_three), 8 / 3.0);
}

}  // namespace
