// Several workers of one PE on real OS threads.
#include <chrono>
#include <exception>
#include <latch>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "lang/trawl.hpp"
#include "rts/fabric/solo.hpp"
#include "rts/pe.hpp"
#include "rts/sched/doorman.hpp"

namespace trawl {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int repetitions = 5;
#else
constexpr int repetitions = 100;
#endif

/// One PE with its threads, as rts/run.cpp makes it, but one that ends. Its OS threads outlive it:
/// they are where its fibers are known.
class Team {
 public:
  explicit Team(int workers, const Options& options = {}) : working_(workers - 1) {
    sched::prepare_fences();
    pe_.emplace(setup(workers, options), fabric_, [](const Outcome&) {});
    pe().crew()[0].attach(std::make_unique<sched::Fiber>());
    for (std::size_t i = 1; i < pe().crew().size(); ++i)
      threads_.emplace_back([this, &worker = pe().crew()[i]] {
        heap::mutator();
        worker.attach(std::make_unique<sched::Fiber>());
        worker.loop(false);
        working_.count_down();
        dismissed_.wait();
      });
  }
  ~Team() {
    sched::this_worker = nullptr;
    pe_.reset();
    dismissed_.count_down();
    for (auto& thread : threads_) thread.join();
  }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// A team evaluates one root; its workers have left their main loops when this returns.
  template <class Root>
  void run(Root root, bool with_doorman = false) {
    std::optional<sched::Doorman> doorman;
    if (with_doorman) doorman.emplace(pe().crew());
    std::exception_ptr error;
    pe().start_root([&] {
      try {
        root();
      } catch (...) {
        error = std::current_exception();
      }
      return 0;
    });
    pe().crew()[0].loop(false);
    working_.wait();
    if (error) std::rethrow_exception(error);
  }

  Pe& pe() { return *pe_; }
  std::uint64_t count(Count what) { return pe().figures()[static_cast<std::size_t>(what)]; }

 private:
  static Pe::Setup setup(int workers, const Options& options) {
    Pe::Setup setup;
    setup.options = options;
    setup.facts.host = setup.facts.cluster = "here";
    setup.workers = workers;
    return setup;
  }

  std::latch working_;
  std::latch dismissed_{1};
  fabric::Solo fabric_;
  std::optional<Pe> pe_;
  std::vector<std::thread> threads_;
};

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
    EXPECT_EQ(team.pe().sharing().blocking_queues(), 0u);
  }
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
