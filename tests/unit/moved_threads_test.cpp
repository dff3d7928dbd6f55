// Threads that go on on another OS thread than the one on which they blocked.
#include <atomic>
#include <chrono>
#include <exception>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>
#include <unistd.h>

#include "rts/heap/collect.hpp"
#include "tests/unit/team.hpp"

namespace trawl {
namespace {

using test::Team;

std::atomic<int> stage;

/// Computes until the test has come so far; false: it never did. It calls nothing of Trawl.
bool compute_until(int wanted) {
  const auto begun = std::chrono::steady_clock::now();
  while (stage < wanted)
    if (std::chrono::steady_clock::now() - begun > std::chrono::seconds(60)) return false;
  return true;
}

enum : int { nothing, second_begun, value_there, went_on };

long awaited(long n) {
  return compute_until(second_begun) ? n : -1;
}

// Has the value, and goes on for long in the same function.
bool has_value_and_goes_on(Lazy<long> x) {
  force(x);
  stage = value_there;
  return compute_until(went_on);
}

bool goes_on(long) {
  stage = second_begun;
  return compute_until(went_on);
}

/// Blocks the calling thread on a value that comes while all workers (two) are inside functions
/// which end only after it has gone on.
template <class WhenItGoesOn>
void block_until_all_are_inside(WhenItGoesOn check) {
  stage = nothing;
  const auto x = lazy<awaited>(42L);
  const auto first = par(lazy<has_value_and_goes_on>(x));
  while (x.node()->state() == heap::State::unevaluated) std::this_thread::yield();
  const auto second = par(lazy<goes_on>(0L));
  EXPECT_EQ(force(x), 42);
  check();
  stage = went_on;
  EXPECT_TRUE(force(first) && force(second)) << "it waited for the end of a long function";
}

TEST(MovedThreads, AValueIsUsedWhateverTheWorkersAreInsideOf) {
  for (int i = 0; i < 5; ++i) {
    Team team(2);
    team.run([] { block_until_all_are_inside([] {}); }, true);
    EXPECT_EQ(team.pe().shared_heap().blocking_queues(), 0u);
  }
}

constexpr int stuck = 10;
std::atomic<std::uint64_t> waiting_threads;
std::atomic<int> gone_on;
std::atomic<Team*> team_here;

bool all_have_gone_on() {
  const auto begun = std::chrono::steady_clock::now();
  while (gone_on < stuck)
    if (std::chrono::steady_clock::now() - begun > std::chrono::seconds(60)) return false;
  return true;
}

// Each keeps the worker that it goes on on.
bool waits_and_stays(Lazy<long> x) {
  force(x);
  ++gone_on;
  return all_have_gone_on();
}

// The other worker runs all that wait, one after the other, as each blocks.
long once_all_wait(long n) {
  while (team_here.load()->count(Count::threads_blocked) < waiting_threads)
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  return n;
}

TEST(MovedThreads, SoIsOneThatManyWaitFor) {
  Team team(2);
  team_here = &team;
  team.run(
      [] {
        gone_on = 0;
        waiting_threads = stuck;
        const auto x = lazy<once_all_wait>(42L);
        std::vector<Lazy<bool>> waiting;
        for (int i = 0; i < stuck; ++i) waiting.push_back(par(lazy<waits_and_stays>(x)));
        EXPECT_EQ(force(x), 42);
        EXPECT_TRUE(all_have_gone_on());
        for (const auto& each : waiting) EXPECT_TRUE(force(each));
      },
      true);
}

thread_local pid_t os_thread;

TEST(MovedThreads, TheyFindTheThreadLocalsOfWhereTheyAre) {
  Team team(2);
  team.run(
      [] {
        os_thread = gettid();  // std::this_thread::get_id() is a constant to the compiler
        const auto before = os_thread;
        block_until_all_are_inside([&] {
          EXPECT_NE(gettid(), before) << "it has not moved: this tests nothing";
          EXPECT_NE(os_thread, before);
          os_thread = gettid();
          EXPECT_EQ(os_thread, gettid());
        });
      },
      true);
}

TEST(MovedThreads, ExceptionsInFlightGoWithThem) {
  Team team(2);
  team.run(
      [] {
        try {
          throw std::runtime_error("mine");
        } catch (const std::exception&) {
          block_until_all_are_inside([] {
            EXPECT_THROW(throw, std::runtime_error);
            EXPECT_THROW(throw std::logic_error("another"), std::logic_error);
          });
          EXPECT_THROW(throw, std::runtime_error);
        }
        EXPECT_EQ(std::current_exception(), nullptr);
        struct Blocks {
          ~Blocks() {
            block_until_all_are_inside([] { EXPECT_EQ(std::uncaught_exceptions(), 1); });
          }
        };
        EXPECT_THROW(
            {
              const Blocks blocks;
              throw std::out_of_range("passing");
            },
            std::out_of_range);
        EXPECT_EQ(std::uncaught_exceptions(), 0);
      },
      true);
}

long number(long n) {
  return n;
}

TEST(MovedThreads, TheCollectorSeesTheirStacks) {
  Team team(2);
  team.run(
      [] {
        Lazy<std::vector<long>> held(std::vector<long>(1000, 7));
        const auto check = [&] {
          heap::collect();
          for (long i = 0; i < 100'000; ++i) lazy<number>(i);
          heap::collect();
          EXPECT_EQ(std::accumulate(force(held).begin(), force(held).end(), 0L), 7000);
        };
        block_until_all_are_inside(check);
        check();
      },
      true);
}

long fib(long n) {
  if (n < 2) return n;
  auto x = spawn<fib>(n - 1);
  const long y = fib(n - 2);
  return x.sync() + y;
}

// The pool in which they lie is being used by what its worker runs now.
bool goes_on_and_spawns(long) {
  stage = second_begun;
  while (stage < went_on)
    if (fib(12) != 144) return false;
  return true;
}

TEST(MovedThreads, CallsThatTheyHaveNotSyncedStayTheirs) {
  for (int i = 0; i < 20; ++i) {
    Team team(2);
    team.run(
        [&] {
          stage = nothing;
          const auto x = lazy<awaited>(42L);
          const auto first = par(lazy<has_value_and_goes_on>(x));
          while (x.node()->state() == heap::State::unevaluated) std::this_thread::yield();
          const auto second = par(lazy<goes_on_and_spawns>(0L));
          auto early = spawn<fib>(10L);
          auto late = spawn<number>(3L);
          auto withdrawn = spawn<number>(4L);
          EXPECT_EQ(force(x), 42);
          auto newest = spawn<fib>(11L);
          EXPECT_EQ(fib(15), 610);
          EXPECT_EQ(late.sync(), 3);
          EXPECT_EQ(newest.sync(), 89);
          EXPECT_EQ(early.sync(), 55);
          stage = went_on;
          EXPECT_TRUE(force(first) && force(second));
        },
        true);
  }
}

long goes_on_until_two_have_blocked(long n) {
  stage = second_begun;
  const auto begun = std::chrono::steady_clock::now();
  while (team_here.load()->count(Count::threads_blocked) < 2)
    if (std::chrono::steady_clock::now() - begun > std::chrono::seconds(60)) return -1;
  return n;
}

// There is no room for a seal in the spare worker's pool, so the thread waits for that worker.
TEST(MovedThreads, OneThatHasToComeBackToASpareWorkerDoes) {
  Options options;
  options.spark_pool = 1;
  Team team(2, options);
  team_here = &team;
  team.run(
      [] {
        stage = nothing;
        const auto x = lazy<awaited>(42L);
        const auto first = par(lazy<has_value_and_goes_on>(x));
        while (x.node()->state() == heap::State::unevaluated) std::this_thread::yield();
        const auto second = par(lazy<goes_on_until_two_have_blocked>(7L));
        EXPECT_EQ(force(x), 42);
        auto fills_the_pool = spawn<number>(3L);
        EXPECT_EQ(force(second), 7);
        EXPECT_EQ(fills_the_pool.sync(), 3);
        stage = went_on;
        EXPECT_TRUE(force(first));
      },
      true);
}

// Some calls are spawned, some thunks are shared: threads block with calls that are not synced, at
// all depths, and go on anywhere.
long meander(const std::vector<Lazy<long>>& shared, long seed, long depth) {
  std::minstd_rand random(static_cast<unsigned>(seed * 7919 + depth + 1));
  if (depth == 0) return 1;
  long sum = 0;
  auto one = spawn<meander>(shared, seed + 1, depth - 1);
  if (!shared.empty() && random() % 2 == 0) sum += force(shared[random() % shared.size()]);
  auto two = spawn<meander>(std::vector<Lazy<long>>(), seed + 2, depth / 2);
  if (!shared.empty() && random() % 3 == 0) sum += force(shared[random() % shared.size()]);
  if (random() % 4 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
  const long second = two.sync();
  return sum + second + one.sync();
}

long slow(long n) {
  std::this_thread::sleep_for(std::chrono::microseconds(50 * (n % 5)));
  return n;
}

long meanders(long workers) {
  long result = 0;
  Team team(static_cast<int>(workers));
  team.run(
      [&] {
        std::vector<Lazy<long>> shared;
        for (long n = 0; n < 30; ++n) shared.push_back(lazy<slow>(n));
        std::vector<Lazy<long>> sums;
        for (long n = 0; n < 12; ++n) sums.push_back(par(lazy<meander>(shared, n, 7L)));
        for (const auto& sum : sums) result += force(sum);
      },
      true);
  EXPECT_EQ(team.pe().shared_heap().blocking_queues(), 0u);
  return result;
}

TEST(MovedThreads, AnswersAreThoseOfOneWorker) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr int repetitions = 3;
#else
  constexpr int repetitions = 20;
#endif
  const long right = meanders(1);
  for (int i = 0; i < repetitions; ++i) ASSERT_EQ(meanders(2 + i % 4), right);
}

long waits_for(Lazy<long> x) {
  auto left_behind = spawn<number>(1L);
  return force(x) + left_behind.sync();
}

// Their calls are sealed, each thread's; but seals must not fill the pools.
TEST(MovedThreads, TenThousandMayBeBlocked) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr long thousands = 200;
#else
  constexpr long thousands = 10'000;
#endif
  Options options;
  options.thread_limit = thousands + 10;
  options.stack_size = std::size_t{64} << 10U;
  Team team(2, options);
  team_here = &team;
  long sum = 0;
  team.run(
      [&] {
        waiting_threads = thousands;
        const auto x = lazy<once_all_wait>(42L);
        std::vector<Lazy<long>> waiting;
        for (long i = 0; i < thousands; ++i) waiting.push_back(par(lazy<waits_for>(x)));
        force(x);
        for (const auto& each : waiting) sum += force(each);
      },
      true);
  EXPECT_EQ(sum, thousands * 43);
}

}  // namespace
}  // namespace trawl
