// What has been consumed dies, wherever the compiler keeps its variables.
#ifndef TRAWL_NO_COLLECTOR

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "rts/heap/collect.hpp"
#include "rts/simulate.hpp"

namespace trawl {
namespace {

[[gnu::noinline]] std::size_t live_bytes() {
  heap::collect();
  return heap::collector_statistics().live_bytes;
}

/// Looks now and then how much is alive.
class Watch {
 public:
  void step() {
    if (++steps_ % 5'000 == 0) most_ = std::max(most_, live_bytes());
  }
  /// Above what it was at the beginning.
  std::size_t most() const { return most_ - std::min(most_, before_); }

 private:
  std::size_t before_ = live_bytes();
  std::size_t most_ = 0;
  long steps_ = 0;
};

using Ballast = std::array<long, 30>;

struct List {
  long head = 0;
  Lazy<List> tail;
  Ballast ballast{};
};

List count_from(long n, long to) {
  if (n == to) return {};
  return {n, lazy<count_from>(n + 1, to), {}};
}

constexpr long cells = 50'000;
constexpr std::size_t half_of_all = cells * sizeof(List) / 2;

long consume_all(Lazy<List>&& list, Watch& watch) {
  long sum = 0;
  while (list) {
    List cell = consume(std::move(list));
    sum += cell.head;
    list = cell.tail;
    watch.step();
  }
  return sum;
}
[[gnu::noinline]] long apart(Lazy<List>&& list, Watch& watch) {
  return consume_all(std::move(list), watch);
}
[[gnu::always_inline]] inline long inlined(Lazy<List>&& list, Watch& watch) {
  return consume_all(std::move(list), watch);
}

template <class Run>
void on_one_pe(Run run) {
  Simulation::Config config;
  config.net.pes = 1;
  Simulation grid(config);
  grid.run(run);
  grid.settle();
}

/// The least of some tries: words that other tests have left on a stack may look like references to
/// a list's first cells.
template <class Walk>
std::size_t most_alive(Walk walk) {
  std::size_t least = SIZE_MAX;
  for (int tries = 0; tries < 5 && least >= half_of_all; ++tries) {
    Watch watch;
    walk(watch);
    least = std::min(least, watch.most());
  }
  return least;
}

TEST(Consume, AListThatIsConsumedDies) {
  on_one_pe([] {
    const auto consumed_by = [](long (*walk)(Lazy<List>&&, Watch&)) {
      return most_alive([walk](Watch& watch) {
        auto list = lazy<count_from>(0L, cells);
        EXPECT_EQ(walk(std::move(list), watch), cells * (cells - 1) / 2);
      });
    };
    EXPECT_LT(consumed_by(&apart), half_of_all);
    EXPECT_LT(consumed_by(&inlined), half_of_all);
    EXPECT_LT(most_alive([](Watch& watch) {
                auto list = lazy<count_from>(0L, cells);
                inlined(std::move(list), watch);
              }),
              half_of_all);
  });
}

struct Tree {
  long leaf = 0;
  Lazy<Tree> left;
  Lazy<Tree> right;
  Ballast ballast{};
};

Tree grow(long from, long to) {
  if (to - from == 1) return {from, {}, {}, {}};
  const long middle = (from + to) / 2;
  return {0, lazy<grow>(from, middle), lazy<grow>(middle, to), {}};
}

long sum(Lazy<Tree>&& at, Watch& watch) {
  Tree tree = consume(std::move(at));
  watch.step();
  if (!tree.left) return tree.leaf;
  const long left = sum(std::move(tree.left), watch);
  return left + sum(std::move(tree.right), watch);
}

TEST(Consume, ATreeThatIsConsumedDies) {
  on_one_pe([] {
    EXPECT_LT(most_alive([](Watch& watch) {
                auto tree = lazy<grow>(0L, cells);
                EXPECT_EQ(sum(std::move(tree), watch), cells * (cells - 1) / 2);
              }),
              half_of_all);
  });
}

long fails(long) {
  throw std::out_of_range("nothing there");
}

TEST(Consume, WhatFailsIsNotGivenUp) {
  on_one_pe([] {
    auto failed = lazy<fails>(1L);
    EXPECT_THROW(consume(std::move(failed)), std::out_of_range);
    EXPECT_TRUE(failed.evaluated());  // NOLINT(bugprone-use-after-move)
    Lazy<long> three(3);
    EXPECT_EQ(consume(std::move(three)), 3);
    EXPECT_FALSE(three);  // NOLINT(bugprone-use-after-move)
    EXPECT_THROW(consume(std::move(three)), Error);
  });
}

}  // namespace
}  // namespace trawl

#endif
