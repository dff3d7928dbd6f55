// Shared objects: a replica on each PE, written everywhere in one order.
#include <cstdint>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <trawl/dist.hpp>
#include <trawl/shared.hpp>

#include "rts/sched/objects.hpp"
#include "tests/unit/dist_grid.hpp"
#include "tests/unit/team.hpp"
#include "tests/unit/units.hpp"

namespace {

using trawl::Lazy;
using trawl::second;
using trawl::Shared;
using trawl::Simulation;
using namespace trawl::test;

class SharedObject : public Skeletons {
 protected:
  // Messages overtake each other.
  static Simulation::Config wild(std::uint64_t seed) {
    auto wild = config();
    wild.net.seed = seed;
    wild.net.jitter = 300'000;
    wild.net.reorder = true;
    return wild;
  }
};

using Log = std::vector<long>;

std::size_t add(Log& log, long entry) {
  log.push_back(entry);
  return log.size();
}
bool has(const Log& log, std::size_t entries) {
  return log.size() >= entries;
}
/// Everybody's writes, as they are seen at a place.
Log written(Shared<Log> log, long first, std::size_t all) {
  for (long i = 0; i < 10; ++i) {
    trawl::work(50'000);
    log.write<add>(first + i);
  }
  return *log.wait_until<has>(all);
}

TEST_P(SharedObject, IsWrittenInOneOrderEverywhere) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed)
    run(wild(seed), [] {
      const Shared<Log> log(Log{-1});
      const auto places = trawl::places();
      std::vector<Lazy<Log>> all;
      for (std::size_t p = 0; p < places.size(); ++p)
        all.push_back(trawl::apply<written>(places[p], log, static_cast<long>(100 * p),
                                            10 * places.size() + 1));
      const auto& first = trawl::force(all.front());
      ASSERT_EQ(first.size(), 10 * places.size() + 1);
      EXPECT_EQ(first.front(), -1);
      for (const auto& each : all) EXPECT_EQ(trawl::force(each), first);
      // Of each PE, in the order in which it has written.
      for (std::size_t p = 0; p < places.size(); ++p) {
        Log own;
        for (const long x : first)
          if (x / 100 == static_cast<long>(p) && x >= 0) own.push_back(x % 100);
        Log expected(10);
        std::iota(expected.begin(), expected.end(), 0L);
        EXPECT_EQ(own, expected);
      }
    });
}

std::vector<std::size_t> tickets(Shared<Log> log, int n) {
  std::vector<std::size_t> all;
  for (int i = 0; i < n; ++i) {
    const auto before = log.read()->size();
    all.push_back(trawl::force(log.write<add>(1)));
    EXPECT_GE(log.read()->size(), all.back()) << "who has forced a write reads it";
    EXPECT_GT(all.back(), before);
  }
  return all;
}

TEST_P(SharedObject, AWriteSaysWhatItGaveInTheOneOrder) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed)
    run(wild(seed), [] {
      const Shared<Log> log{Log()};
      std::vector<Lazy<std::vector<std::size_t>>> all;
      for (const auto place : trawl::places()) all.push_back(trawl::apply<tickets>(place, log, 5));
      std::vector<std::size_t> given;
      for (const auto& each : all)
        given.insert(given.end(), trawl::force(each).begin(), trawl::force(each).end());
      std::sort(given.begin(), given.end());
      std::vector<std::size_t> expected(5 * trawl::places().size());
      std::iota(expected.begin(), expected.end(), std::size_t{1});
      EXPECT_EQ(given, expected) << "no two have got the same";
    });
}

TEST_P(SharedObject, AGuardThatNobodyFulfilsIsADeadlock) {
  try {
    run([] {
      const Shared<Log> log{Log()};
      log.write<add>(1);
      static_cast<void>(log.wait_until<has>(std::size_t{2}));
    });
    ADD_FAILURE();
  } catch (const trawl::Error& e) {
    EXPECT_NE(std::string(e.what()).find("blocked for ever"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("the next write to a Shared"), std::string::npos)
        << e.what();
  }
}

long waits_for(Shared<Log> log, std::size_t entries) {
  return static_cast<long>(log.wait_until<has>(entries)->size());
}
long writes(Shared<Log> log) {
  return static_cast<long>(trawl::force(log.write<add>(7)));
}

// Who waits behind a guard needs no spark by name, so nobody would evaluate the one that writes.
TEST_P(SharedObject, AtTheThreadLimitASparkMayFulfilAGuard) {
  auto limited = config();
  limited.options.thread_limit = 4;
  run(limited, [] {
    const Shared<Log> log{Log()};
    const auto write = trawl::par(trawl::lazy<writes>(log));  // the oldest
    std::vector<Lazy<long>> all;
    for (int i = 0; i < 20; ++i) all.push_back(trawl::par(trawl::lazy<waits_for>(log, 1U)));
    for (const auto& each : all) EXPECT_EQ(trawl::force(each), 1);
    EXPECT_EQ(trawl::force(write), 1);
  });
}

struct Table {
  std::map<std::string, long> entries;
  void set(const std::string& key, long value) { entries[key] = value; }
  long at(const std::string& key) const { return entries.contains(key) ? entries.at(key) : 0; }
};
bool is(const Table& table, const std::string& key, long value) {
  return table.at(key) == value;
}
long answered(Shared<Table> table) {
  const long asked = table.wait_until<is>("question", 6L)->at("question");
  table.write<&Table::set>("answer", 7 * asked);
  return asked;
}

TEST_P(SharedObject, GuardsWaitForWhatOthersWrite) {
  run([] {
    const Shared<Table> table{Table()};
    const auto other = trawl::apply<answered>(trawl::places().back(), table);
    let_others_work_a_while();
    EXPECT_EQ(table.read()->at("answer"), 0);
    table.write<&Table::set>("question", 6L);
    EXPECT_EQ(table.wait_until<is>("answer", 42L)->at("question"), 6);
    EXPECT_EQ(trawl::force(other), 6);
  });
}

TEST_P(SharedObject, AReadingStaysAsItIs) {
  run([] {
    const Shared<Log> log(Log{1, 2});
    const auto before = log.read();
    trawl::force(log.write<add>(3));
    const auto* where = &*log.read();
    EXPECT_EQ(*before, (Log{1, 2}));
    EXPECT_EQ(*log.read(), (Log{1, 2, 3}));
    trawl::force(log.write<add>(4));
    EXPECT_EQ(&*log.read(), where) << "nobody held it: it was changed in place";
  });
}

long failing(Log& log, long at) {
  log.push_back(at);
  throw std::out_of_range("too far");
}

TEST_P(SharedObject, AnExceptionIsTheValueOfItsWrite) {
  run([] {
    const Shared<Log> log(Log{1});
    const auto write = log.write<failing>(2);
    EXPECT_THROW(trawl::force(write), std::out_of_range);
    EXPECT_EQ(*log.read(), (Log{1, 2}));
    trawl::force(log.write<add>(3));
    EXPECT_EQ(*log.read(), (Log{1, 2, 3}));
  });
}

void forget_all(Log& log) {
  log.clear();
}
std::size_t entries_once_there(Shared<Log> log) {
  return log.wait_until<has>(1U)->size();
}
std::size_t entries(Shared<Log> log) {
  return log.read()->size();
}

TEST_P(SharedObject, WhatNobodyReadsIsWrittenAllTheSame) {
  run([] {
    const Shared<Log> log{Log()};
    for (int i = 0; i < 1000; ++i) log.write<add>(i);
    const auto cleared = log.write<forget_all>();
    let_others_work_a_while();
    EXPECT_TRUE(cleared.evaluated());
    EXPECT_TRUE(trawl::force(cleared));
    EXPECT_EQ(trawl::force(trawl::apply<entries>(trawl::places().back(), log)), 0U);
  });
}

TEST_P(SharedObject, OfSomeSize) {
  run([] {
    const Shared<Log> log(Log(300'000, 5));
    EXPECT_EQ(trawl::force(trawl::apply<entries>(trawl::places().back(), log)), 300'000U);
  });
}

std::size_t with_lazy(Log& log, const std::vector<Lazy<long>>& more) {
  return log.size() + more.size();
}

TEST_P(SharedObject, WhatCantBeSharedIsRefused) {
  run([] {
    const Shared<Log> log{Log()};
    EXPECT_THROW(log.write<with_lazy>(std::vector{Lazy<long>(1L)}), trawl::Error);
    EXPECT_EQ(trawl::force(log.write<add>(1)), 1U) << "what was refused has no place in the order";
    EXPECT_THROW(static_cast<void>(Shared<Log>().read()), trawl::Error);
  });
  EXPECT_THROW(Shared<Log>{Log()}, trawl::Error) << "outside of a run";
}

INSTANTIATE_TEST_SUITE_P(Pes, SharedObject, testing::ValuesIn(grids));

Simulation::Config grid_of(const std::string& grid) {
  Simulation::Config config;
  config.net.grid = trawl::fabric::parse_grid(grid, "here");
  return config;
}

// PE 1 would have told nine others.
TEST(SharedObjectGrid, MadeAfterADeathItIsEverywhere) {
  Simulation grid(grid_of(R"({"clusters": [{"name": "a", "pes": 20}],
                              "deaths": [{"pe": 1, "at": "1 s"}]})"));
  grid.run([] {
    trawl::work(2'000'000'000);
    const Shared<Log> log{Log()};
    log.write<add>(7);
    for (const auto place : trawl::places())
      EXPECT_EQ(trawl::force(trawl::apply<entries_once_there>(place, log)), 1U);
  });
  EXPECT_EQ(grid.finish(0).code, 0);
}

long busy(trawl::Nanos time) {
  trawl::work(time);
  return 0;
}
long writes_late(Shared<Log> log) {
  trawl::work(3 * second);
  log.write<add>(1);
  return 1;
}
/// What it sparks is taken by the slow PE, and then waited for.
long sparks_a_writer(Shared<Log> log) {
  const auto writer = trawl::par(trawl::lazy<writes_late>(log));
  trawl::work(second);
  return trawl::force(writer);
}

// The name comes to PE 9 before the object does, which PE 1 passes on over thin links.
TEST(SharedObjectGrid, WhoWritesIsNotRunAgain) {
  auto config = grid_of(R"({
    "clusters": [{"name": "a", "pes": 1}, {"name": "b", "pes": 1}, {"name": "c", "pes": 8},
                 {"name": "d", "pes": 1, "speed": 0.05}],
    "between": {"latency": "1 ms", "bandwidth": "50 MB/s"},
    "links": [{"between": ["a", "b"], "latency": "5 ms", "bandwidth": "100 KB/s"},
              {"between": ["b", "c"], "latency": "5 ms", "bandwidth": "100 KB/s"},
              {"between": ["b", "d"], "latency": "5 ms", "bandwidth": "100 KB/s"}]})");
  config.net.seed = 3;
  Simulation grid(config);
  std::size_t made = 0;
  grid.run([&made] {
    const auto places = trawl::places();
    std::vector<Lazy<long>> all;
    trawl::work(second);
    for (std::size_t pe = 1; pe < 9; ++pe)
      all.push_back(trawl::apply<busy>(places[pe], 30 * second));
    trawl::work(second);
    const Shared<Log> log(Log(125'000, 5));
    const auto writer = trawl::apply<sparks_a_writer>(places[9], log);
    trawl::work(150 * second);
    trawl::force(writer);
    made = log.read()->size() - 125'000;
  });
  EXPECT_EQ(made, 1U);
  EXPECT_EQ(grid.finish(0).code, 0);
}

TEST(SharedObjectTeam, OnRealWorkers) {
  Team team(4);
  team.run([] {
    const Shared<Log> log{Log()};
    std::vector<Lazy<Log>> all;
    for (long i = 0; i < 8; ++i) all.push_back(trawl::par(trawl::lazy<written>(log, 100 * i, 80U)));
    for (const auto& each : all) EXPECT_EQ(trawl::force(each), trawl::force(all.front()));
    EXPECT_EQ(trawl::force(all.front()).size(), 80U);
  });
}

}  // namespace
