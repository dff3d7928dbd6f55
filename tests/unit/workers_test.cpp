// Several workers of one PE on real OS threads.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "rts/host/clocks.hpp"
#include "tests/unit/team.hpp"

namespace trawl {
namespace {

using test::Team;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int repetitions = 5;
#else
constexpr int repetitions = 100;
#endif

long fib(long n) {
  if (n < 2) return n;
  auto x = spawn<fib>(n - 1);
  const long y = fib(n - 2);
  return x.sync() + y;
}

long lazy_fib(long n) {
  if (n < 2) return n;
  const auto x = par(lazy<lazy_fib>(n - 1));
  const long y = lazy_fib(n - 2);
  return force(x) + y;
}

long spin(long n) {
  volatile long sum = 0;
  for (long i = 0; i < 2000; ++i) sum = sum + i % 3;
  return n;
}

// Long enough for others to come.
long slow(long n) {
  std::this_thread::sleep_for(std::chrono::microseconds(20));
  return n;
}

TEST(Workers, SpawnAndSync) {
  for (int i = 0; i < repetitions; ++i) {
    long result = 0;
    Team team(1 + i % 4);
    team.run([&] { result = fib(18); });
    ASSERT_EQ(result, 2584);
  }
}

TEST(Workers, LazyParForce) {
  for (int i = 0; i < repetitions; ++i) {
    long result = 0;
    Team team(1 + i % 4);
    team.run([&] { result = lazy_fib(16); }, true);
    ASSERT_EQ(result, 987);
    EXPECT_EQ(team.pe().shared_heap().blocking_queues(), 0u);
  }
}

// There may be no OS thread for it.
TEST(Workers, ASpareOneIsAtRestUntilItIsCalled) {
  Team team(1);
  auto& workers = team.pe().workers();
  const auto busy = workers.busy_besides();
  EXPECT_TRUE(workers.add_spare() != nullptr);
  EXPECT_EQ(workers.busy_besides(), busy);
}

TEST(Workers, TheyShareTheWork) {
  std::uint64_t converted = 0;
  for (int i = 0; i < 20; ++i) {
    Team team(4);
    long sum = 0;
    team.run([&] {
      std::vector<long> numbers(200);
      std::iota(numbers.begin(), numbers.end(), 0);
      const auto values = lazy_map<slow>(numbers);
      for (const auto& x : force_all(trawl::apply(values, par_list(rseq)))) sum += x;
    });
    ASSERT_EQ(sum, 199 * 200 / 2);
    converted += team.count(Count::sparks_converted);
  }
  EXPECT_GT(converted, 0u);
}

// Many wait for one: whoever finishes it wakes all, none twice and none never.
long shared_sum(const std::vector<Lazy<long>>& xs) {
  long sum = 0;
  for (const auto& x : xs) sum += force(x);
  return sum;
}

TEST(Workers, SharedThunks) {
  std::uint64_t blocked = 0;
  for (int i = 0; i < repetitions; ++i) {
    Team team(4);
    long sum = 0;
    team.run([&] {
      std::vector<Lazy<long>> shared;
      shared.reserve(40);
      for (long n = 0; n < 40; ++n) shared.push_back(lazy<slow>(n));
      std::vector<Lazy<long>> sums;
      for (int k = 0; k < 20; ++k) sums.push_back(par(lazy<shared_sum>(shared)));
      for (const auto& x : sums) sum += force(x);
    });
    ASSERT_EQ(sum, 20L * 39 * 40 / 2);
    blocked += team.count(Count::threads_blocked);
  }
  EXPECT_GT(blocked, 0u);
}

long failing(long n) {
  if (n < 1) throw std::out_of_range("the bottom");
  auto x = spawn<failing>(n - 1);
  const auto y = par(lazy<failing>(n - 2));
  long sum = 0;
  try {
    sum = force(y);
  } catch (const std::out_of_range&) {
    sum = force(lazy<spin>(1));  // may block while the exception is being handled
  }
  return sum + x.sync();
}

TEST(Workers, Exceptions) {
  for (int i = 0; i < repetitions; ++i) {
    Team team(1 + i % 4);
    EXPECT_THROW(team.run([] { failing(10); }), std::out_of_range);
  }
}

TEST(Workers, TinyPoolsAndFewThreads) {
  for (int i = 0; i < repetitions; ++i) {
    Options options;
    options.spark_pool = std::size_t{1} << (i % 4);
    options.thread_limit = 1U + static_cast<unsigned>(i % 3);
    Team team(4, options);
    long result = 0;
    team.run([&] { result = fib(12) + lazy_fib(12); });
    ASSERT_EQ(result, 288);
  }
}

TEST(Workers, StrategiesAndMaps) {
  for (int i = 0; i < repetitions / 5 + 1; ++i) {
    Team team(3);
    team.run([] {
      std::vector<long> numbers(300);
      std::iota(numbers.begin(), numbers.end(), 1);
      if (par_map<spin>(numbers, 7) != numbers) throw std::logic_error("par_map");
      const auto chunked = lazy_map<spin>(numbers);
      if (force_all(trawl::apply(chunked, par_list_chunk(10, rdeepseq))) != numbers)
        throw std::logic_error("par_list_chunk");
      long sum = 0;
      for (const long x : trawl::apply(lazy_map<spin>(numbers), par_buffer(8, rseq))) sum += x;
      if (sum != 300L * 301 / 2) throw std::logic_error("par_buffer");
    });
  }
}

// Asked at any moment, as the main PE's are at the end, while other workers go on.
TEST(Workers, SparksAddUpWhileTheyWork) {
  std::uint64_t most = 0;
  std::uint64_t wrong = 0;
  for (int i = 0; i < repetitions / 5 + 1; ++i) {
    Team team(3);
    std::atomic<bool> over{false};
    std::thread watcher([&] {
      while (!over) {
        const auto statistics = team.pe().statistics();
        const auto at = [&](Count what) { return statistics[static_cast<std::size_t>(what)]; };
        const auto used = at(Count::sparks_converted) + at(Count::sparks_subsumed) +
                          at(Count::sparks_fizzled) + at(Count::sparks_ignored);
        if (used > at(Count::sparks_created)) ++wrong;
        most = std::max(most, used);
      }
    });
    long sum = 0;
    team.run([&] { sum = lazy_fib(24) + fib(24); });
    over = true;
    watcher.join();
    ASSERT_EQ(sum, 2 * 46368);
  }
  EXPECT_EQ(wrong, 0u);
  EXPECT_GT(most, 0u);
}

// The root computes and has nothing for the other worker.
TEST(Workers, EachHasItsTimes) {
  Team team(2);
  Statistics statistics;
  team.run([&] {
    const auto end = wall_time() + 300'000'000;
    while (wall_time() < end) {
    }
    statistics = team.pe().statistics();
  });
  ASSERT_EQ(statistics.workers.size(), 2u);
  const auto life = [&](std::size_t i) {
    const auto& times = statistics.workers[i];
    return static_cast<double>(times.mutator + times.collector + times.communication + times.idle);
  };
  EXPECT_GE(life(0), 3e8);
  EXPECT_GT(static_cast<double>(statistics.workers[0].mutator), 0.8 * life(0));
  EXPECT_GT(static_cast<double>(statistics.workers[1].idle), 0.8 * life(1));
  const auto at = [&](Count what) {
    return static_cast<double>(statistics[static_cast<std::size_t>(what)]);
  };
  EXPECT_NEAR(at(Count::busy_time) + at(Count::idle_time), life(0) + life(1), 1e6);
}

// Frames are gone when their function is left, whoever has taken them.
long abandons(long n) {
  if (n == 0) return 1;
  auto never_synced = spawn<spin>(n);
  auto synced = spawn<abandons>(n - 1);
  return synced.sync() + 1;
}

TEST(Workers, WhatIsNotSyncedIsWithdrawn) {
  for (int i = 0; i < repetitions; ++i) {
    Team team(4);
    long result = 0;
    team.run([&] { result = abandons(50); });
    ASSERT_EQ(result, 51);
  }
}

}  // namespace
}  // namespace trawl
