#include "rts/fabric/network.hpp"

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "rts/base/after.hpp"
#include "rts/heap/collect.hpp"
#include "rts/inline/error.hpp"
#include "tests/unit/units.hpp"

namespace trawl::fabric {
namespace {

GridFile three(const std::string& more = "") {
  return parse_grid(R"({"clusters": [{"name": "a", "pes": 2}, {"name": "b", "pes": 2},
    {"name": "c", "pes": 2}], "between": {"latency": "100 ms", "bandwidth": "100 KB/s"})" +
                        more + "}",
                    "three.json");
}

TEST(Network, ALinkIsOfAllPesOfItsClusters) {
  Network network(three());
  EXPECT_EQ(network.send(0, 2, 100'000, 0, 0), second + 100 * ms);
  EXPECT_EQ(network.send(1, 3, 50'000, 0, 0), second + 600 * ms);
  EXPECT_EQ(network.unsent(0, 2, 0), 150'000U);
}

TEST(Network, EachDirectionAndEachPairHasItsOwn) {
  Network network(three());
  network.send(0, 2, 100'000, 0, 0);
  EXPECT_EQ(network.send(2, 0, 100, 0, 0), 101 * ms);
  EXPECT_EQ(network.send(0, 4, 100, 0, 0), 101 * ms);
  EXPECT_LT(network.send(0, 1, 100, 0, 0), ms);
}

TEST(Network, MissingLinksAreRoutedAroundAndLoadEachHop) {
  Network network(three(R"(, "links": [{"between": ["a", "b"], "missing": true}])"));
  EXPECT_EQ(network.send(0, 2, 100, 0, 0), 202 * ms);
  EXPECT_EQ(network.unsent(0, 4, 0), 100U);
  EXPECT_EQ(network.unsent(4, 2, 0), 100U);
  // One that goes the second hop only does not wait until the first has come there.
  EXPECT_EQ(network.send(4, 2, 100, 0, 0), 102 * ms);
}

TEST(Network, SaysWhatItsLinksHaveCarried) {
  Network network(three(R"(, "links": [{"between": ["a", "b"], "missing": true}])"));
  network.send(0, 1, 100, 0, 0);
  network.send(0, 2, 100'000, 0, 0);
  network.send(0, 4, 50'000, 3 * second, 0);
  const auto first = network.carried_until(0, 2, 4 * second);
  EXPECT_EQ(first.messages, 2U);
  EXPECT_EQ(first.bytes, 150'000U);
  EXPECT_EQ(first.busy, 1500 * ms);
  EXPECT_EQ(network.carried_until(0, 2, 3 * second + 200 * ms).busy, 1200 * ms);
  EXPECT_EQ(network.carried_until(2, 1, 4 * second).busy, second);
  EXPECT_EQ(network.carried_until(0, 1, 4 * second).messages, 0U);
  EXPECT_EQ(network.carried_until(1, 2, 4 * second).messages, 0U);
}

// Some bytes for each pair of them would be a GB.
TEST(Network, ManyClustersTakeLittleMemory) {
  std::string clusters;
  for (int i = 0; i < 5000; ++i)
    clusters += (i == 0 ? "" : ", ") + (R"({"name": ")" + std::to_string(i)) + R"(", "pes": 2})";
  const auto before = heap::collector_statistics().heap_bytes;
  Network network(parse_grid(R"({"clusters": [)" + clusters + R"(],
      "between": {"latency": "100 ms", "bandwidth": "100 KB/s"}})",
                             "many.json"));
  for (int pe = 2; pe < 200; pe += 2) network.send(pe, 0, 100'000, 0, 0);
  EXPECT_LT(heap::collector_statistics().heap_bytes, before + (100U << 20U));
  EXPECT_EQ(network.send(7, 1, 100'000, 0, 0), 2 * second + 100 * ms);
  EXPECT_EQ(network.unsent(6, 0, 0), 200'000U);
  EXPECT_EQ(network.unsent(0, 6, 0), 0U);
  const auto used = network.used_links();
  EXPECT_EQ(used.size(), 99U);
  EXPECT_EQ(used.front(), std::pair(1, 0));
}

TEST(Network, ChangesTakeHoldInTheMiddleOfAMessage) {
  Network network(three(R"(, "links": [{"between": ["a", "b"], "period": "3 s",
      "changes": [{"at": "2 s", "latency": "300 ms", "bandwidth": "1 KB/s"}]}])"));
  // 50,000 bytes in the half second before, 1,000 in the second of the drop, 49,000 after it.
  EXPECT_EQ(network.send(0, 2, 100'000, 1500 * ms, 0), 3 * second + 490 * ms + 100 * ms);
  EXPECT_EQ(network.line_at(0, 1, 5 * second + ms).latency, 300 * ms);
  EXPECT_EQ(network.line_at(0, 1, 6 * second).latency, 100 * ms);
}

// The changes that it goes through are not counted one by one: there are 10^12.
TEST(Network, AMessageMayTakeYears) {
  Network network(three(R"(, "random_changes": {"every": "1 ms", "bandwidth": [1e-5, 3e-5]})"));
  const auto years = static_cast<double>(network.send(0, 2, 2'000'000'000, 0, 0));
  EXPECT_NEAR(years, 1e9 * second, 1e7 * second);
}

TEST(Network, RandomChangesStayInTheirBoundsAndRepeat) {
  const auto grid = three(R"(, "random_changes": {"every": "1 s", "bandwidth": [0.1, 1],
                               "latency": [1, 10], "seed": 7})");
  const Network one(grid);
  const Network same(grid);
  bool differs = false;
  for (int turn = 0; turn < 100; ++turn) {
    const auto line = one.line_at(0, 1, turn * second);
    EXPECT_EQ(line, same.line_at(0, 1, turn * second + 999 * ms));
    EXPECT_GE(line.latency, 100 * ms);
    EXPECT_LE(line.latency, 1000 * ms);
    EXPECT_GE(line.bytes_per_nano, 1e-5);
    EXPECT_LE(line.bytes_per_nano, 1e-4);
    differs |= !(line == one.line_at(0, 1, (turn + 1) * second));
  }
  EXPECT_TRUE(differs);
}

TEST(Network, SaysWhatTakesLongest) {
  EXPECT_EQ(Network(three()).longest(100'000), second + 100 * ms);
  EXPECT_EQ(Network(three(R"(, "links": [{"between": ["a", "b"], "missing": true},
      {"from": "b", "to": "c", "jitter": "2 s", "changes": [{"at": "1 s", "latency": "300 ms"}]}])"))
                .longest(100'000),
            4 * second + 400 * ms)
      << "from b by c to a, one after the other";
  EXPECT_EQ(Network(three(R"(, "random_changes": {"every": "1 s", "bandwidth": [0.1, 1],
                             "latency": [1, 10]})"))
                .longest(100'000),
            11 * second);
}

TEST(Network, PacesChangeWithTime) {
  const Network network(three(R"(, "speed_changes": [{"pe": 1, "at": "2 s", "speed": 0.5}])"));
  EXPECT_EQ(network.pace_of(0, 0).until, never);
  EXPECT_EQ(network.pace_of(1, 0).until, 2 * second);
  EXPECT_DOUBLE_EQ(network.pace_of(1, 0).share, 1);
  EXPECT_DOUBLE_EQ(network.pace_of(1, 3 * second).share, 0.5);
  EXPECT_DOUBLE_EQ(network.grid().best_share(0), 1);
  EXPECT_DOUBLE_EQ(network.grid().best_share(1), 1);
  const auto others = three(R"(, "speed_changes": [{"pe": 1, "at": "0 s", "speed": 0.5},
                                 {"pe": 2, "at": "2 s", "speed": 3}])");
  EXPECT_DOUBLE_EQ(others.best_share(1), 0.5);
  EXPECT_DOUBLE_EQ(others.best_share(2), 3);
}

// Work or a message that takes longer than time goes is not done at once.
TEST(After, WhatTakesForEverDoesNotEnd) {
  EXPECT_EQ(after(5, 7.4), 12);
  const auto end = after(5, 1e30);
  EXPECT_GT(end, Nanos{1'000'000'000'000'000'000});
  EXPECT_EQ(after(end, 1e18), end);
  EXPECT_LT(end, never / 2);
}

}  // namespace
}  // namespace trawl::fabric
