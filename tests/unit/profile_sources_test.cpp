// Who made a spark, and who woke a thread: what the report concludes from a run's logs, beside what
// its program has noted itself.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/dist.hpp>
#include <trawl/trawl.hpp>
#include <unistd.h>

#include "profiles/fishing.hpp"
#include "profiles/granularity.hpp"
#include "profiles/report/names.hpp"
#include "profiles/report/report.hpp"
#include "rts/sched/worker.hpp"
#include "rts/simulate.hpp"

namespace {

using trawl::Simulation;
using trawl::profile::Cause;

/// A thread of a PE, by its number in the log.
struct Place {
  int pe = -1;
  std::uint32_t thread = 0;

  friend bool operator<(const Place& a, const Place& b) {
    return std::tie(a.pe, a.thread) < std::tie(b.pe, b.thread);
  }
  friend bool operator==(const Place&, const Place&) = default;
};
Place here() {
  return {Simulation::here(), trawl::sched::worker_here().as_giver().thread};
}

/// By the numbers of leaves.
std::map<long, Place> made, evaluated;
/// The leaves that a thread has made.
std::map<Place, std::set<long>> made_by;
std::map<Place, long> began;

long leaf(long id) {
  began[here()] = id;
  Simulation::work(30'000);
  evaluated[id] = here();
  return 1;
}

// NOLINTNEXTLINE(misc-no-recursion)
long branch(int depth, long id) {
  std::vector<trawl::Lazy<long>> parts;
  for (long i = 0; i < 3; ++i) {
    const long part = 10 * id + i;
    parts.push_back(trawl::lazy<leaf>(part));
    made[part] = here();
    made_by[here()].insert(part);
    trawl::par(parts.back());
    Simulation::work(5'000);
  }
  for (long i = 3; depth > 0 && i < 5; ++i) {
    parts.push_back(trawl::lazy<branch>(depth - 1, 10 * id + i));
    trawl::par(parts.back());
  }
  long sum = 0;
  for (const auto& part : parts) sum += trawl::force(part);
  return sum;
}

struct Counted {
  int known = 0, right = 0, unknown = 0;
};

class Sources : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    made.clear();
    evaluated.clear();
    made_by.clear();
    began.clear();
    folder_ = std::filesystem::path(testing::TempDir()) /
              ("sources." + std::to_string(getpid()) + "." + std::to_string(GetParam()));
    std::filesystem::create_directory(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static std::string one_cluster() {
    return R"({"clusters": [{"name": "a", "workers": 2, "pes": )" + std::to_string(GetParam()) +
           "}]}";
  }
  trawl::profile::Report simulated() {
    return simulated(one_cluster(), [] { EXPECT_EQ(branch(5, 1), 3 * 63); });
  }
  trawl::profile::Report simulated(const std::string& grid, const std::function<void()>& root) {
    Simulation::Config config;
    config.net.grid = trawl::fabric::parse_grid(grid, "sources");
    config.net.pes = config.net.grid->pes();
    config.options.trace = folder_.string();
    Simulation simulation(config);
    simulation.run(root);
    simulation.settle();
    simulation.finish(0);
    run_ = trawl::profile::open_run(folder_.string());
    return measure_report(run_, 0, run_.end, trawl::profile::measure_fishing(run_, 0, run_.end),
                          trawl::profile::measure_granularity(run_, 0, run_.end));
  }
  bool is(std::uint32_t code, const std::string& name) const {
    return trawl::profile::short_name(trawl::profile::name_of_code(run_, code)).ends_with(name);
  }

  trawl::profile::Run run_;

 private:
  std::filesystem::path folder_;
};

TEST_P(Sources, MakersOfSparksAreFound) {
  const auto report = simulated();
  Counted own, imported;
  for (const auto& slice : report.slices) {
    const bool came = slice.cause == Cause::imported;
    if (!is(slice.code, "leaf") || (!came && slice.cause != Cause::own_spark)) continue;
    const int pe = report.lanes[slice.lane].pe;
    auto& counted = came ? imported : own;
    if (slice.source.thread == trawl::profile::unknown) {
      ++counted.unknown;
      continue;
    }
    ++counted.known;
    const Place maker{came ? static_cast<int>(slice.pe) : pe, slice.source.thread};
    counted.right += maker == made.at(began.at({pe, slice.thread}));
  }
  EXPECT_GT(own.known, 0);
  EXPECT_EQ(own.right, own.known);
  EXPECT_LE(own.unknown, own.known / 10);
  EXPECT_EQ(imported.right, imported.known);
  EXPECT_TRUE(GetParam() == 1 || imported.known > imported.unknown);
}

// From far away several come at once, and wait for each other.
TEST_P(Sources, SparksThatCameAreToldApart) {
  const auto report = simulated(
      R"({"clusters": [{"name": "a", "workers": 2, "pes": 2}, {"name": "b", "workers": 2, "pes": 2}],
          "between": {"latency": "1 ms"}})",
      [] { EXPECT_EQ(branch(7, 1), 3 * 255); });
  int waited = 0;
  std::map<std::pair<int, std::uint64_t>, int> with;  // by PE and message: sparks begun with
  for (const auto& slice : report.slices) {
    if (slice.cause != Cause::imported || !is(slice.code, "leaf")) continue;
    const int pe = report.lanes[slice.lane].pe;
    EXPECT_EQ((++with[{pe, slice.message}]), 1) << "one spark came with each message";
    waited += slice.begin - slice.ready > 20'000;
    if (slice.source.thread == trawl::profile::unknown) continue;
    const Place maker{static_cast<int>(slice.pe), slice.source.thread};
    EXPECT_TRUE(maker == made.at(began.at({pe, slice.thread}))) << slice.thread;
  }
  EXPECT_GT(waited, 2);
}

TEST_P(Sources, WhoWokeAThreadIsKnown) {
  const auto report = simulated();
  int woken = 0;
  for (const auto& slice : report.slices) {
    if (slice.cause != Cause::woken_here || !is(slice.waited_for, "leaf")) continue;
    ++woken;
    const int pe = report.lanes[slice.lane].pe;
    const Place giver{pe, slice.source.thread};
    const auto& parts = made_by[{pe, slice.thread}];
    EXPECT_TRUE(std::any_of(parts.begin(), parts.end(),
                            [&](long part) { return evaluated.at(part) == giver; }))
        << "thread " << slice.thread << " of PE " << pe << " was woken by " << giver.thread;
  }
  EXPECT_GT(woken, 0);
}

TEST_P(Sources, WhatThreadsMadeAddsUp) {
  const auto report = simulated();
  std::uint64_t sum = 0;
  for (const auto& function : report.functions) sum += function.made;
  EXPECT_EQ(sum, 63U * 3 + 62);
}

long thrice(std::size_t i) {
  Simulation::work(10'000);
  return 3 * static_cast<long>(i);
}

// What a PE gets of a step of skeletons comes as one spark, of a function that nobody has written.
TEST_P(Sources, ThreadsOfSkeletonsAreNamedAfterWhatTheyWereGiven) {
  const auto report =
      simulated(one_cluster(), [] { EXPECT_EQ(trawl::generate<thrice>(1000).size(), 1000U); });
  const auto named = [](const auto& function) {
    return trawl::profile::short_name(function.name).ends_with("<thrice>");
  };
  std::uint64_t threads = 0;
  for (const auto& function : report.functions)
    if (named(function)) threads += function.threads();
  EXPECT_GT(threads, 0U);
  for (const auto& function : report.functions)
    EXPECT_TRUE(function.threads() == 0 || function.name.find("run_group") == std::string::npos)
        << function.name;
}

INSTANTIATE_TEST_SUITE_P(Grids, Sources, testing::Values(1, 3));

}  // namespace
