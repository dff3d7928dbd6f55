// A PE whose threads wait for one value that is on its way begins no more that would wait for it.
#include <vector>

#include <gtest/gtest.h>
#include <trawl/dist.hpp>
#include <trawl/trawl.hpp>

#include "rts/fabric/grid_file.hpp"
#include "rts/simulate.hpp"
#include "rts/trace/stats.hpp"
#include "tests/unit/units.hpp"

namespace trawl {
namespace {

using Data = std::vector<char>;

long needs(const Data& data, long i) {
  Simulation::work(20 * ms);
  return static_cast<long>(data.size()) + i;
}

constexpr long size = 1'000'000;
constexpr long sparks = 40;

long sum_of(const std::vector<Lazy<long>>& all) {
  long sum = 0;
  for (const auto& each : all) sum += force(each);
  return sum;
}

long needs_by_many(const Lazy<Data>& data) {
  std::vector<Lazy<long>> all;
  for (long i = 0; i < sparks; ++i) all.push_back(par(lazy<needs>(data, i)));
  return sum_of(all);
}

struct List {
  long head = 0;
  Lazy<List> tail;
};

long length_of(Lazy<List> at) {
  long length = 0;
  for (; at; at = force(at).tail) ++length;
  Simulation::work(20 * ms);
  return length;
}

long lengths_of(const std::vector<Lazy<List>>& lists) {
  std::vector<Lazy<long>> all;
  for (const auto& each : lists) all.push_back(par(lazy<length_of>(each)));
  return sum_of(all);
}

// PE 0 has the data, PE 1 the sparks; PE 2 gets the data after a second.
TEST(WaitsForData, FewThreadsWaitForWhatIsUnderWay) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    Simulation::Config config;
    config.net.grid = fabric::parse_grid(R"({
      "clusters": [{"name": "a", "pes": 1}, {"name": "b", "pes": 1}, {"name": "c", "pes": 1}],
      "between": {"latency": "1 ms", "bandwidth": "1 GB/s"},
      "links": [{"from": "a", "to": "c", "latency": "1 ms", "bandwidth": "1 MB/s"}]})",
                                         "three PEs");
    config.net.seed = seed;
    Simulation grid(config);
    grid.run([] {
      const Lazy<Data> data(Data(size, 'x'));
      const auto sum = force(apply<needs_by_many>(places()[1], data));
      EXPECT_EQ(sum, sparks * size + sparks * (sparks - 1) / 2);
    });
    grid.settle();
    const auto count = [&grid](int pe, Count what) {
      return grid.pe(pe).statistics()[static_cast<std::size_t>(what)];
    };
    EXPECT_LT(count(1, Count::threads_created), 30U)
        << "others can take them until it has the data";
    EXPECT_GT(count(2, Count::threads_blocked), 0U) << "or it is no test";
    EXPECT_LE(count(2, Count::threads_blocked), 3U);  // one of them a straggler's backup
  }
}

// PEs 2 to 4 have their sparks from PE 1, which waits for the data itself.
TEST(WaitsForData, WhoIsToldOfItByOneWhoWaitsKnowsThatItIsThere) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    Simulation::Config config;
    config.net.grid = fabric::parse_grid(R"({
      "clusters": [{"name": "a", "pes": 1, "speed": 0.1},
                   {"name": "b", "pes": 4, "speed": 0.1, "latency": "50 us"}],
      "between": {"latency": "200 us", "bandwidth": "250 KB/s"}})",
                                         "a PE, and four far from it");
    config.net.seed = seed;
    config.options.recover = "off";
    Simulation grid(config);
    grid.run([] {
      const auto sum = needs_by_many(Lazy<Data>(Data(size, 'x')));
      EXPECT_EQ(sum, sparks * size + sparks * (sparks - 1) / 2);
    });
    grid.settle();
    for (int pe = 1; pe < 5; ++pe) {
      const auto statistics = grid.pe(pe).statistics();
      const auto blocked = statistics[static_cast<std::size_t>(Count::threads_blocked)];
      EXPECT_GT(blocked, 0U) << "or it is no test";
      EXPECT_LE(blocked, 2U);
    }
  }
}

// Each spark has a list of its own on PE 0, which comes in many packets. What PE 1 begins it must
// evaluate to the end: so it begins no more than it needs, and PE 0 has the others.
TEST(WaitsForData, WhatComesSoonIsWaitedForByFew) {
  constexpr long cells = 20'000;
  for (const unsigned seed : {1U, 2U, 3U}) {
    Simulation::Config config;
    config.net.grid = fabric::parse_grid(
        R"({"clusters": [{"name": "a", "pes": 2, "latency": "1 ms", "bandwidth": "1 GB/s"}]})",
        "two PEs");
    config.net.seed = seed;
    Simulation grid(config);
    grid.run([] {
      std::vector<Lazy<List>> lists(sparks);
      for (auto& list : lists)
        for (long i = 0; i < cells; ++i) list = Lazy<List>(List{i, list});
      EXPECT_EQ(force(apply<lengths_of>(places()[1], lists)), sparks * cells);
    });
    grid.settle();
    const auto statistics = grid.pe(1).statistics();
    EXPECT_GT(statistics[static_cast<std::size_t>(Count::threads_blocked)], 0U)
        << "or it is no test";
    EXPECT_LT(statistics[static_cast<std::size_t>(Count::threads_created)], 30U);
  }
}

int alone_done = 0;

long alone(long i) {
  Simulation::work(5 * ms);
  ++alone_done;
  return i;
}

long alone_done_when_walked(Lazy<List> list) {
  length_of(list);
  return alone_done;
}

long works_for_a_second(long i) {
  Simulation::work(1000 * ms);
  return i;
}

long walk_beside(const Lazy<List>& list) {
  std::vector<Lazy<long>> all;
  for (long i = 0; i < sparks; ++i) all.push_back(par(lazy<alone>(i)));
  const auto walk = par(lazy<alone_done_when_walked>(list));
  force(apply<works_for_a_second>(places()[0], 0L));
  return sum_of(all) >= 0 ? force(walk) : 0;
}

// One thread waits for what takes long, one goes through a list: other sparks need neither.
TEST(WaitsForData, WhatWaitsForNothingIsBegunMeanwhile) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    Simulation::Config config;
    config.net.grid = fabric::parse_grid(
        R"({"clusters": [{"name": "a", "pes": 2, "latency": "5 ms", "bandwidth": "1 GB/s"}]})",
        "two PEs");
    config.net.seed = seed;
    alone_done = 0;
    Simulation(config).run([] {
      Lazy<List> list;
      for (long i = 0; i < 100'000; ++i) list = Lazy<List>(List{i, list});
      EXPECT_GT(force(apply<walk_beside>(places()[1], list)), sparks / 4);
    });
  }
}

// All near, and alike: what would wait is left to who need not. (It would be begun, and stay behind
// what was begun before.)
TEST(WaitsForData, TheNextOneIsLeftToOthers) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    Simulation::Config config;
    config.net.grid = fabric::parse_grid(R"({
      "clusters": [{"name": "a", "pes": 6, "latency": "20 us", "bandwidth": "2 MB/s"}]})",
                                         "six PEs");
    config.net.seed = seed;
    Simulation grid(config);
    grid.run([] {
      const auto sum = needs_by_many(Lazy<Data>(Data(size, 'x')));
      EXPECT_EQ(sum, sparks * size + sparks * (sparks - 1) / 2);
    });
    grid.settle();
    std::uint64_t blocked = 0;
    for (int pe = 1; pe < 6; ++pe)
      blocked += grid.pe(pe).statistics()[static_cast<std::size_t>(Count::threads_blocked)];
    EXPECT_GT(blocked, 0U) << "or it is no test";
    EXPECT_LE(blocked, 5U);
  }
}

}  // namespace
}  // namespace trawl
