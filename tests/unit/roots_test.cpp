// What a Lazy leads to is kept, wherever it sits.
#ifndef TRAWL_NO_COLLECTOR

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "tests/unit/garbage.hpp"

namespace trawl {
namespace {

using namespace trawl::test;

TEST(CollectorTorture, SimulatedPrograms) {
  for (const int pes : {1, 2, 4}) {
    const Torture torture(7);
    Simulation grid(grid_of(pes, static_cast<std::uint64_t>(pes)));
    grid.run([] {
      EXPECT_EQ(nfib(9), 109);
      EXPECT_EQ(sum(lazy<grow>(1L, 64L)), 64 * 65 / 2);
      const auto rows = lazy<table>(6L);
      par(rows);
      long all = 0;
      for (const auto& [i, row] : force(rows))
        for (const auto& cell : row) all += force(cell);
      EXPECT_EQ(all, 6 * 1 + 5 * 1 + 4 * 3 + 3 * 5 + 2 * 1 + 1 * 1);
      EXPECT_THROW(force(par(lazy<fails_deep>(10L))), std::out_of_range);
    });
    grid.settle();
  }
}

Lazy<long> in_a_global;
std::vector<Lazy<long>> in_a_global_vector;
thread_local Lazy<long> in_a_thread_local;

struct alignas(64) Wide {
  Lazy<long> lazy;
};

[[gnu::noinline]] std::function<long()> captured(long value) {
  return [pad = std::array<long, 8>(), lazy = Lazy<long>(value)] { return force(lazy) + pad[0]; };
}

long argument(Lazy<long> value) {
  scrub_and_collect();
  return force(value);
}

TEST(Collector, ALazySurvivesWhereverItSits) {
  Simulation grid(grid_of(1, 1));
  grid.run([] {
    std::vector<Lazy<long>> local;
    std::map<int, std::vector<Lazy<long>>> nested;
    std::vector<Wide> wide;
    for (long i = 0; i < 1000; ++i) {
      local.emplace_back(i);
      nested[static_cast<int>(i)].emplace_back(i);
      wide.push_back({Lazy<long>(i)});
      in_a_global_vector.emplace_back(i);
    }
    const Lazy<std::map<int, std::vector<Lazy<long>>>> inside(nested);
    nested.clear();
    const auto thunk = lazy<argument>(Lazy<long>(5));
    in_a_global = Lazy<long>(6);
    in_a_thread_local = Lazy<long>(7);
    const auto function = captured(8);
    const auto on_the_heap = std::make_unique<Lazy<long>>(9);
    auto spawned = spawn<argument>(Lazy<long>(10));
    scrub_and_collect();
    for (long i = 0; i < 1000; ++i) {
      const auto at = static_cast<std::size_t>(i);
      ASSERT_EQ(force(local[at]), i);
      ASSERT_EQ(force(force(inside).at(static_cast<int>(i)).front()), i);
      ASSERT_EQ(force(wide[at].lazy), i);
      ASSERT_EQ(force(in_a_global_vector[at]), i);
    }
    EXPECT_EQ(force(thunk), 5);
    EXPECT_EQ(force(in_a_global), 6);
    EXPECT_EQ(force(in_a_thread_local), 7);
    EXPECT_EQ(function(), 8);
    EXPECT_EQ(force(*on_the_heap), 9);
    EXPECT_EQ(spawned.sync(), 10);
  });
  in_a_global_vector.clear();
}

long slow(long n) {
  Simulation::work(500'000);
  scrub_and_collect();
  return n;
}

// Its frame is on a stack that is not running while others collect.
long blocks_with_a_frame(long n) {
  std::array<Lazy<long>, 20> mine;
  for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = Lazy<long>(n + static_cast<long>(i));
  const auto awaited = par(lazy<slow>(n));
  Simulation::work(200'000);  // somebody else takes it
  long all = force(awaited);
  for (const auto& each : mine) all += force(each);
  return all;
}

TEST(Collector, ALazySurvivesOnAStackThatIsBlocked) {
  Simulation grid(grid_of(3, 5));
  grid.run([] {
    const auto a = par(lazy<blocks_with_a_frame>(1000L));
    const auto b = par(lazy<blocks_with_a_frame>(2000L));
    EXPECT_EQ(blocks_with_a_frame(0), 190);
    EXPECT_EQ(force(a), 21 * 1000 + 190);
    EXPECT_EQ(force(b), 21 * 2000 + 190);
  });
}

TEST(Collector, OtherThreadsHaveRootsToo) {
  std::atomic<bool> ready{false};
  std::atomic<bool> go_on{false};
  long got = 0;
  std::thread other([&] {
    in_a_thread_local = Lazy<long>(1);
    std::vector<Lazy<long>> local;
    for (long i = 0; i < 100; ++i) local.emplace_back(i);
    ready = true;
    while (!go_on) std::this_thread::yield();
    got = heap::ResultOf<long>::get(in_a_thread_local.node());
    for (const auto& each : local) got += heap::ResultOf<long>::get(each.node());
  });
  while (!ready) std::this_thread::yield();
  scrub_and_collect();
  go_on = true;
  other.join();
  EXPECT_EQ(got, 1 + 4950);
  // Threads come and go while others collect.
  for (int round = 0; round < 20; ++round) {
    std::vector<std::thread> threads;
    threads.reserve(4);
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([] {
        for (long n = 0; n < 2000; ++n) static_cast<void>(Lazy<long>(n));
      });
    heap::collect();
    for (auto& thread : threads) thread.join();
  }
}

}  // namespace
}  // namespace trawl

#endif
