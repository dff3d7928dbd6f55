// What is copied and what is moved, on its way into thunks and out of them.
#include <atomic>
#include <chrono>
#include <exception>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "rts/heap/collect.hpp"
#include "rts/heap/weak.hpp"
#include "rts/simulate.hpp"
#include "tests/unit/garbage.hpp"
#include "tests/unit/lang_grid.hpp"
#include "tests/unit/team.hpp"

namespace {

using trawl::Lazy;
using trawl::Simulation;
using namespace trawl::test;

/// Counts how often it is copied and moved; knows where it was made.
struct Tracked {
  static inline std::atomic<int> copies{0};
  static inline std::atomic<int> moves{0};
  static void forget() { copies = moves = 0; }

  std::vector<long> data;
  int made_at = 0;

  Tracked() = default;
  explicit Tracked(std::size_t n) : data(n, 7) {}
  Tracked(const Tracked& other) : data(other.data), made_at(other.made_at) { ++copies; }
  Tracked(Tracked&& other) noexcept : data(std::move(other.data)), made_at(other.made_at) {
    ++moves;
  }
  Tracked& operator=(const Tracked&) = default;
  Tracked& operator=(Tracked&&) noexcept = default;
  ~Tracked() = default;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(data, made_at);
  }
};
std::size_t size(const Tracked& t) {
  return t.data.size();
}
Tracked made(std::size_t n) {
  Tracked t(n);
  t.made_at = Simulation::here();
  return t;
}
std::vector<Tracked> some(std::size_t n) {
  std::vector<Tracked> all;
  all.reserve(n);
  for (std::size_t i = 0; i < n; ++i) all.push_back(made(i));
  return all;
}

TEST_P(Lang, ArgumentsAreCopiedOnceOnly) {
  run([] {
    const Tracked argument(10);
    Tracked::forget();
    const auto x = trawl::lazy<size>(argument);
    EXPECT_EQ(Tracked::copies, 1);
    EXPECT_EQ(trawl::force(x), 10U);
    auto z = trawl::spawn<size>(argument);
    EXPECT_EQ(Tracked::copies, 2);
    EXPECT_EQ(z.sync(), 10U);
    EXPECT_EQ(Tracked::copies, 2);
  });
}

TEST_P(Lang, ArgumentsThatAreGivenAwayAreMoved) {
  run([] {
    Tracked::forget();
    const auto x = trawl::lazy<size>(Tracked(20));
    Tracked argument(30);
    const auto y = trawl::par(trawl::lazy<size>(std::move(argument)));
    EXPECT_TRUE(argument.data.empty());  // NOLINT(bugprone-use-after-move)
    auto z = trawl::spawn<size>(Tracked(5));
    let_others_work();
    EXPECT_EQ(trawl::force(x) + trawl::force(y), 50U);
    EXPECT_EQ(z.sync(), 5U);
    const Lazy<Tracked> value(Tracked(4));
    EXPECT_EQ(size(trawl::force(value)), 4U);
    EXPECT_EQ(Tracked::copies, 0);
  });
}

TEST_P(Lang, ResultsAreMovedIntoTheirThunks) {
  run([this] {
    Tracked::forget();
    const auto here = trawl::lazy<made>(10U);
    EXPECT_EQ(size(trawl::force(here)), 10U);
    EXPECT_EQ(Tracked::moves, 1);
    const auto away = trawl::par(trawl::lazy<made>(11U));
    const auto several = trawl::par(trawl::lazy<some>(3U));
    let_others_work();
    EXPECT_EQ(size(trawl::force(away)), 11U);
    EXPECT_EQ(trawl::force(away).made_at == 0, alone());
    EXPECT_EQ(trawl::force(several).size(), 3U);
    EXPECT_EQ(size(trawl::force(several)[2]), 2U);
    EXPECT_EQ(Tracked::copies, 0);
  });
}

TEST_P(Lang, SyncMovesItsResult) {
  run([this] {
    Tracked::forget();
    auto untouched = trawl::spawn<made>(9U);
    EXPECT_EQ(size(untouched.sync()), 9U);
    EXPECT_EQ(Tracked::moves, 0);
    auto several = trawl::spawn<some>(3U);
    auto taken = trawl::spawn<made>(10U);
    let_others_work();
    const Tracked result = taken.sync();
    EXPECT_EQ(size(result), 10U);
    EXPECT_EQ(result.made_at == 0, alone());
    EXPECT_EQ(several.sync().size(), 3U);
    EXPECT_EQ(Tracked::copies, 0);
  });
}

TEST_P(Lang, ListsOfCallsMoveTheirResults) {
  run([] {
    std::vector<std::size_t> sizes;
    for (std::size_t i = 0; i < 50; ++i) sizes.push_back(i);
    Tracked::forget();
    auto all = trawl::spawn_all<made>(sizes);
    let_others_work();
    const auto first = all.sync();
    const auto second = trawl::par_map<made>(sizes, 3);
    const auto strings = trawl::par_map<[](std::size_t n) { return std::string(n, 'x'); }>(sizes);
    EXPECT_EQ(Tracked::copies, 0);
    ASSERT_EQ(first.size(), 50U);
    ASSERT_EQ(second.size(), 50U);
    for (std::size_t i = 0; i < 50; ++i) {
      EXPECT_EQ(size(first[i]), i);
      EXPECT_EQ(size(second[i]), i);
      EXPECT_EQ(strings[i].size(), i);
    }
    // These are the program's.
    const auto lazies = trawl::lazy_map<made>(sizes);
    EXPECT_EQ(trawl::force_all(lazies).size(), 50U);
    EXPECT_EQ(Tracked::copies, 50);
  });
}

// With more elements than the pool has room for, trees of thunks refer to them.
TEST_P(Lang, LongListsOfCallsGiveTheSame) {
  run([] {
    std::vector<std::size_t> sizes;
    for (std::size_t i = 0; i < 3000; ++i) sizes.push_back(i % 7);
    auto all = trawl::spawn_all<made>(sizes);
    const auto first = all.sync();
    const auto second = trawl::par_map<made>(sizes);
    ASSERT_EQ(first.size(), sizes.size());
    ASSERT_EQ(second.size(), sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      ASSERT_EQ(size(first[i]), sizes[i]);
      ASSERT_EQ(size(second[i]), sizes[i]);
    }
  });
}

std::atomic<bool> begun{false};
Tracked begin(std::size_t n) {
  begun = true;
  return Tracked(n);
}

TEST(Moves, SyncMovesWhatAnotherWorkerHasMade) {
  Team team(2);
  Tracked::forget();
  begun = false;
  std::size_t got = 0;
  team.run([&got] {
    auto x = trawl::spawn<begin>(100'000U);
    const auto enough = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!begun && std::chrono::steady_clock::now() < enough) std::this_thread::yield();
    got = size(x.sync());
  });
  EXPECT_EQ(got, 100'000U);
  EXPECT_EQ(team.count(trawl::Count::sparks_converted), 1U) << "nobody took it";
  EXPECT_EQ(Tracked::copies, 0);
}

// ---- where the memory of values is -------------------------------------------------------------

/// Refers to others by way of memory of its own.
struct Cell {
  static inline int copies = 0;
  static inline int alive = 0;

  std::vector<Lazy<Cell>> next;

  Cell() { ++alive; }
  Cell(const Cell& other) : next(other.next) {
    ++alive;
    ++copies;
  }
  Cell(Cell&& other) noexcept : next(std::move(other.next)) { ++alive; }
  Cell& operator=(const Cell&) = default;
  Cell& operator=(Cell&&) noexcept = default;
  ~Cell() { --alive; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(next);
  }
};
Cell before(const Lazy<Cell>& next) {
  Cell cell;
  if (next) cell.next.push_back(next);
  return cell;
}

TEST_P(Lang, WhatRefersToOthersIsCopiedIntoItsThunk) {
  run([] {
    Cell::copies = 0;
    const auto last = trawl::lazy<before>(Lazy<Cell>());
    EXPECT_TRUE(trawl::force(last).next.empty());
    EXPECT_EQ(Cell::copies, 1);
    auto spawned = trawl::spawn<before>(last);
    let_others_work();
    EXPECT_EQ(spawned.sync().next.size(), 1U);
    EXPECT_EQ(Cell::copies, 1);
  });
}

#ifndef TRAWL_NO_COLLECTOR

[[gnu::noinline]] void make_list(int length) {
  Lazy<Cell> list;
  for (int i = 0; i < length; ++i) {
    list = trawl::lazy<before>(list);
    trawl::force(list);
  }
}

// Moved, each cell would keep the next until it has been destroyed. The least of some tries: a word
// that was left on a stack may look like a reference to one in the midst.
TEST(Moves, AListOfThemDiesAtOnce) {
  static constexpr int few = 100;
  Simulation::Config config;
  Simulation simulation(config);
  simulation.run([] {
    int left = few;
    for (int tries = 0; tries < 5 && left >= few; ++tries) {
      const int before = Cell::alive;
      make_list(1000);
      trawl::test::collect_well();
      left = Cell::alive - before;
    }
    EXPECT_LT(left, few);
  });
}

struct Text : std::exception {
  const char* what() const noexcept override { return "text"; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(text, numbers);
  }
  std::string text;
  std::vector<long> numbers;
};
TRAWL_EXCEPTION(Text);

std::pair<std::string, std::vector<long>> long_text(int length) {
  return {std::string(static_cast<std::size_t>(length), 'x'), std::vector<long>(100, length)};
}
std::string throws(int length) {
  Text error;
  error.text = std::string(static_cast<std::size_t>(length), 'x');
  error.numbers.assign(100, length);
  throw error;
}

// An exception lies where the collector doesn't look.
TEST_P(Lang, WhatSyncGivesLivesUntilItIsDeleted) {
  run([] {
    auto x = trawl::spawn<long_text>(100);
    auto y = trawl::spawn<throws>(100);
    let_others_work();
    const auto expect_it = [](const Text& error) {
      trawl::test::collect_well();
      std::vector<std::vector<char>> others(1000, std::vector<char>(100, 'y'));
      std::vector<std::vector<long>> more(1000, std::vector<long>(100, 1));
      EXPECT_EQ(error.text, std::string(100, 'x'));
      EXPECT_EQ(error.numbers, std::vector<long>(100, 100));
    };
    const auto throw_it = [&x] {
      auto result = x.sync();
      Text error;
      error.text = std::move(result.first);
      error.numbers = std::move(result.second);
      throw error;
    };
    try {
      y.sync();
      ADD_FAILURE();
    } catch (const Text& error) {
      expect_it(error);
    }
    try {
      throw_it();
    } catch (const Text& error) {
      expect_it(error);
    }
  });
}

#endif

}  // namespace
