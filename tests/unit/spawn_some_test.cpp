// Calls of which not all are needed: inlets, aborts.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "rts/sched/worker.hpp"
#include "tests/unit/lang_grid.hpp"
#include "tests/unit/team.hpp"

namespace trawl {
namespace {

using namespace trawl::test;

std::vector<long> numbers(long to) {
  std::vector<long> all(static_cast<std::size_t>(to));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::atomic<long> begun{0};
std::atomic<long> gave_up{0};

long count_and_work(long n) {
  ++begun;
  Simulation::work(a_while);
  return n;
}

TEST_P(Lang, SpawnSomeShowsEachResultOnce) {
  for (const long many : {0L, 1L, 10L, 3000L}) {
    run([many] {
      std::vector<int> seen(static_cast<std::size_t>(many));
      auto some = spawn_some<twice>(numbers(many));
      some.each([&](std::size_t i, const long& result) {
        EXPECT_EQ(result, 2 * static_cast<long>(i));
        ++seen[i];
      });
      EXPECT_TRUE(std::ranges::all_of(seen, [](int times) { return times == 1; })) << many;
      EXPECT_FALSE(cancelled());
    });
  }
}

long weighted(long x, long by, const std::vector<long>& more) {
  return by * x + more.at(0);
}

TEST_P(Lang, SpawnSomeGivesArgumentsToEachCall) {
  run([] {
    std::vector<long> shown;
    auto some = spawn_some<weighted>(numbers(4), 10L, std::vector<long>{7});
    some.each_in_order([&](std::size_t, const long& result) { shown.push_back(result); });
    EXPECT_EQ(shown, (std::vector<long>{7, 17, 27, 37}));
  });
}

TEST_P(Lang, SpawnSomeInOrder) {
  run([] {
    long next = 0;
    auto some = spawn_some<twice>(numbers(100));
    some.each_in_order([&next](std::size_t i, const long& result) {
      EXPECT_EQ(result, 2 * next);
      EXPECT_EQ(static_cast<long>(i), next++);
      return next < 60;
    });
    EXPECT_EQ(next, 60);
  });
}

TEST_P(Lang, AnInletCancelsWhatHasNotBegun) {
  begun = 0;
  run([this] {
    long shown = 0;
    auto some = spawn_some<count_and_work>(numbers(100));
    some.each([&shown](std::size_t, const long&) { return ++shown < 5; });
    EXPECT_EQ(shown, 5);
    if (alone()) {
      EXPECT_EQ(begun, 5);
    }
    let_others_work();
  });
  EXPECT_LT(begun, 5 + 4 * GetParam());
}

TEST_P(Lang, AnInletMayCancelThemItself) {
  for (const bool in_order : {false, true})
    run([in_order] {
      long shown = 0;
      auto some = spawn_some<count_and_work>(numbers(100));
      const auto inlet = [&](std::size_t, const long&) {
        EXPECT_LT(shown, 5);
        if (++shown == 5) some.cancel();
      };
      in_order ? some.each_in_order(inlet) : some.each(inlet);
      EXPECT_EQ(shown, 5);
    });
}

TEST_P(Lang, ResultsAreShownOnce) {
  run([] {
    const auto shown_again = [](auto first, auto again) {
      auto some = spawn_some<twice>(numbers(100));
      first(some);
      EXPECT_THROW(again(some), Error);
    };
    const auto inlet = [](std::size_t, long) { return false; };
    const auto each = [&](auto& some) { some.each(inlet); };
    const auto in_order = [&](auto& some) { some.each_in_order(inlet); };
    shown_again(each, each);
    shown_again(each, in_order);
    shown_again(in_order, each);
  });
}

TEST_P(Lang, AnInletsAnswerMayBeABit) {
  run([] {
    const std::vector<bool> goes_on{true, true, false, true};
    long shown = 0;
    auto some = spawn_some<twice>(numbers(4));
    some.each_in_order([&](std::size_t i, long) {
      ++shown;
      return goes_on[i];
    });
    EXPECT_EQ(shown, 3);
  });
}

TEST_P(Lang, WhoLeavesThemCancelsThem) {
  begun = 0;
  run([] {
    { [[maybe_unused]] const auto some = spawn_some<count_and_work>(numbers(100)); }
    let_others_work();
  });
  EXPECT_LE(begun, GetParam());
}

long first_is_short(long n) {
  if (n == 0) {
    Simulation::work(10 * a_while);
    return 0;
  }
  for (int piece = 0; piece < 1000; ++piece) {
    Simulation::work(a_while / 10);
    if (!cancelled()) continue;
    ++gave_up;
    return -1;
  }
  return n;
}

TEST_P(Lang, RunningOnesSeeThatTheyAreCancelled) {
  gave_up = 0;
  run([pes = GetParam()] {
    auto some = spawn_some<first_is_short>(numbers(pes));
    some.each([](std::size_t i, const long&) {
      EXPECT_EQ(i, 0u);
      return false;
    });
    let_others_work();
  });
  EXPECT_LE(gave_up, GetParam() - 1);
  EXPECT_GE(gave_up, alone() ? 0 : 1);
}

long forces_while_cancelled(long);

long asks(long) {
  return cancelled() ? 1 : 0;
}

std::atomic<long> heard_inside{-1};

long forces_while_cancelled(long n) {
  if (n == 0) {
    Simulation::work(10 * a_while);
    return 0;
  }
  while (!cancelled()) Simulation::work(a_while / 10);
  heard_inside = force(lazy<asks>(0L));
  EXPECT_TRUE(cancelled());
  return 0;
}

TEST_P(Lang, WhatACancelledCallForcesIsNoPartOfIt) {
  if (alone()) GTEST_SKIP() << "nobody else runs when it is cancelled";
  heard_inside = -1;
  run([] {
    auto some = spawn_some<forces_while_cancelled>(numbers(2));
    some.each([](std::size_t, const long&) { return false; });
    let_others_work();
  });
  EXPECT_EQ(heard_inside, 0);
}

long group_inside(long n) {
  if (n == 0) {
    Simulation::work(20 * a_while);
    return 0;
  }
  auto inner = spawn_some<first_is_short>(std::vector<long>{1, 2, 3, 4});
  long sum = 0;
  inner.each([&sum](std::size_t, const long& result) { sum += result; });
  return sum;
}

// Whoever cancels the outer group cancels what is inside of its calls, wherever that runs.
TEST_P(Lang, AGroupInsideIsCancelledToo) {
  if (alone()) GTEST_SKIP() << "nobody else runs when it is cancelled";
  gave_up = 0;
  run([] {
    auto some = spawn_some<group_inside>(numbers(2));
    some.each([](std::size_t i, const long&) {
      EXPECT_EQ(i, 0u);
      return false;
    });
    let_others_work();
  });
  EXPECT_GE(gave_up, 1);
}

long third_throws(long n) {
  if (n == 2) throw std::out_of_range("third");
  return n;
}

TEST_P(Lang, EachThrowsWhatACallThrew) {
  run([] {
    auto some = spawn_some<third_throws>(numbers(10));
    EXPECT_THROW(some.each([](std::size_t, const long&) {}), std::out_of_range);
    auto in_order = spawn_some<third_throws>(numbers(10));
    long shown = 0;
    EXPECT_THROW(in_order.each_in_order([&shown](std::size_t, const long&) { ++shown; }),
                 std::out_of_range);
    EXPECT_EQ(shown, 2);
  });
}

// ---- on real OS threads ------------------------------------------------------------------------

long takes_its_time(long n) {
  const auto microseconds = n * 7919 % 40;
  for (long i = 0; i < microseconds && !cancelled(); ++i)
    std::this_thread::sleep_for(std::chrono::microseconds(1));
  return n * 7919 % 101;
}

// A search that is content with 90: the answer is the same, whatever has been looked at.
long expected_best(long n) {
  long best = 0;
  for (const long x : numbers(n)) best = std::max(best, std::min(x * 7919 % 101, 90L));
  return best;
}

long best_of(const std::vector<long>& xs) {
  long best = 0;
  auto some = spawn_some<takes_its_time>(xs);
  some.each([&best](std::size_t, const long& result) {
    best = std::max(best, std::min(result, 90L));
    return best < 90;
  });
  return best;
}

long best_inside(long n) {
  return best_of(numbers(n));
}

TEST(SpawnSome, AnswersAreTheSameOnSeveralWorkers) {
  for (int i = 0; i < 20; ++i) {
    Team team(1 + i % 4);
    long few = 0;
    long many = 0;
    std::vector<long> nested;
    team.run(
        [&] {
          few = best_of(numbers(12));
          many = best_of(numbers(200));
          nested = par_map<best_inside>(numbers(30));
        },
        true);
    EXPECT_EQ(few, expected_best(12));
    EXPECT_EQ(many, 90);
    for (const long n : numbers(30))
      EXPECT_EQ(nested[static_cast<std::size_t>(n)], expected_best(n));
    EXPECT_EQ(team.pe().shared_heap().blocking_queues(), 0u);
  }
}

/// Who shows results: it may go from one OS thread to another.
std::atomic<const sched::Thread*> root_thread{nullptr};
std::atomic<int> others{0};

const sched::Thread* running_thread() {
  return &sched::worker_here().running_thread();
}

// Of what others make the first ends soon, and the rest when it is cancelled.
long ends_when_cancelled(long) {
  if (running_thread() == root_thread) {
    while (others < 2) std::this_thread::yield();
    return 0;
  }
  if (++others == 1) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return 1;
  }
  while (!cancelled()) std::this_thread::yield();
  return 2;
}

TEST(SpawnSome, TheFirstThatOthersEndIsShownAtOnce) {
  for (int i = 0; i < 20; ++i) {
    others = 0;
    Team team(4);
    std::vector<long> shown;
    team.run(
        [&] {
          root_thread = running_thread();
          auto some = spawn_some<ends_when_cancelled>(numbers(8));
          some.each([&shown](std::size_t, const long& result) {
            shown.push_back(result);
            return result == 0;
          });
        },
        true);
    EXPECT_EQ(shown.back(), 1);
  }
}

// Others' first result comes while one of them waits for the end of all.
long ends_when_cancelled_later(Nanos time) {
  if (running_thread() == root_thread) return 0;
  Simulation::work(time);
  if (++others == 1) return 1;
  while (!cancelled()) Simulation::work(10'000);
  return 2;
}

TEST(SpawnSome, WhoShowsResultsWaitsForNoCallOfOthers) {
  for (Nanos time = 1'000; time < 50'000; time += 1'000) {
    others = 0;
    Simulation::Config config;
    config.net.grid = fabric::parse_grid(R"({"clusters": [{"name": "a", "pes": 1, "workers": 4}]})",
                                         "four workers");
    config.measure = true;  // or others would take nothing between a look at a call and its claim
    Simulation simulation(config);
    bool was_shown = false;
    simulation.run(
        [&] {
          root_thread = running_thread();
          auto some = spawn_some<ends_when_cancelled_later>(std::vector<Nanos>(100, time));
          some.each([&](std::size_t, const long& result) {
            was_shown = result == 1;
            return result == 0;
          });
        },
        1'000'000'000);
    EXPECT_TRUE(was_shown || others == 0) << time;
  }
}

}  // namespace
}  // namespace trawl
