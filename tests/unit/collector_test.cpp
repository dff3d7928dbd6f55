// The collector takes back what nothing leads to, and does not scan numbers.
#ifndef TRAWL_NO_COLLECTOR

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "tests/unit/garbage.hpp"

namespace trawl {
namespace {

using namespace trawl::test;

[[gnu::noinline]] long make_and_drop(long n) {
  Lazy<Tree> list;
  for (long i = 0; i < n; ++i) list = Lazy<Tree>(Tree{i, list, {}});
  long length = 0;
  for (auto at = list; at; at = force(at).left) ++length;
  return length;
}

TEST(Collector, MemoryReturnsToItsStart) {
  Simulation grid(grid_of(1, 1));
  grid.run([] { make_and_drop(1000); });
  const auto before = live_bytes();
  constexpr std::size_t list_bytes = 500'000 * 48;
  grid.run([] {
    for (int i = 0; i < 20; ++i) EXPECT_EQ(make_and_drop(500'000), 500'000);
  });
  // Of twenty lists, a stale word may hold on to one.
  EXPECT_LT(live_bytes(), before + list_bytes);
}

[[gnu::noinline]] void adopt_list(heap::GlobalAddressTable& table, long first, long n) {
  Lazy<Tree> list;
  for (long i = first; i < first + n; ++i) {
    list = Lazy<Tree>(Tree{i, list, {}});
    if (i % 100 == 0) table.adopt(list.node(), {{0, 0, static_cast<std::uint64_t>(i)}, 1});
  }
}

// As those do that were fetched from another PE, and walked. Stale words, some of them in the
// collector's own frames, may each hold on to a list.
TEST(Collector, ListsOfProxiesDieAtOnce) {
  constexpr long lists = 10;
  constexpr long length = 10'000;
  heap::GlobalAddressTable table(1, 2, 16);
  const auto before = live_bytes();
  for (long i = 0; i < lists; ++i) adopt_list(table, i * length, length);
  table.sweep();
  heap::clear_finished_calls<4096>();
  heap::collect();
  EXPECT_LT(heap::collector_statistics().live_bytes, before + lists * length * 48 / 2);
  table.sweep();
  EXPECT_LT(table.proxies(), 500U);
  EXPECT_EQ(table.weights_held().size(), 1000U) << "held, or on their way home";
}

[[gnu::noinline]] void adopt_values(heap::GlobalAddressTable& table, std::uint64_t first, long n,
                                    std::vector<Lazy<long>>* keep) {
  for (long i = 0; i < n; ++i) {
    const Lazy<long> value(i);
    table.adopt(value.node(), {{0, 0, first + static_cast<std::uint64_t>(i)}, 1});
    if (keep != nullptr) keep->push_back(value);
  }
}

// The memory of proxies that have died becomes others before anybody has noticed.
TEST(Collector, AProxyInTheMemoryOfADeadOne) {
  constexpr long count = 50'000;
  heap::GlobalAddressTable table(1, 2, 16);
  adopt_values(table, 0, count, nullptr);
  table.sweep();
  heap::clear_finished_calls<4096>();
  heap::collect();
  std::vector<Lazy<long>> values;
  adopt_values(table, count, count, &values);
  EXPECT_LT(table.proxies(), 2 * count) << "no memory was used again: this tests nothing";
  for (long i = 0; i < count; ++i) {
    const auto target = table.target(values[static_cast<std::size_t>(i)].node());
    ASSERT_TRUE(target);
    ASSERT_EQ(target->at.slot, count + i);
  }
  table.sweep();
  EXPECT_LT(table.proxies(), count + 500U);
  EXPECT_EQ(table.weights_held().size(), 2U * count) << "held, or on their way home";
}

TEST(Collector, AProxyIsFoundWholeOrNotAtAll) {
  heap::GlobalAddressTable table(1, 2, 16);
  const std::jthread collector([](const std::stop_token& stop) {
    while (!stop.stop_requested()) heap::collect();
  });
  const auto before = heap::collector_statistics().collections;
  std::array<heap::Node*, 20> held{};  // found in the last turn
  long found = 0;
  long i = 0;
  for (; i < 20'000 || heap::collector_statistics().collections < before + 10; ++i) {
    adopt_values(table, static_cast<std::uint64_t>(i), 1, nullptr);
    table.sweep();
    for (std::size_t back = 0; back < held.size(); ++back) {
      const heap::Address at{0, 0, static_cast<std::uint64_t>(i) - back};
      heap::Node* node = table.proxy(at);
      if (back != 0 && held[back - 1] != nullptr) {
        ASSERT_EQ(node, held[back - 1]);
      }
      if (node == nullptr) continue;
      ASSERT_EQ(node->state(), heap::State::value);
      const auto target = table.target(node);
      ASSERT_TRUE(target);
      ASSERT_EQ(target->at, at);
      ++found;
    }
    for (auto back = held.size(); back-- > 0;)
      held[back] = table.proxy({0, 0, static_cast<std::uint64_t>(i) - back});
  }
  EXPECT_GT(found, 0) << "all died at once: this tests nothing";
  EXPECT_LT(table.proxies(), static_cast<std::size_t>(i)) << "nothing died: this tests nothing";
}

constexpr std::size_t gap = 64;  // words

[[gnu::noinline]] std::unique_ptr<heap::Weak> refer_weakly_and_leave_it_behind() {
  std::array<heap::Node*, gap> left_behind{};
  left_behind.fill(Lazy<long>(1).node());
  asm volatile("" : : "r"(left_behind.data()) : "memory");
  auto weak = std::make_unique<heap::Weak>(left_behind.front());
  weak->let_die();
  return weak;
}

[[gnu::noinline]] void collect_above_a_gap() {
  std::array<heap::Node*, 2 * gap> unused;
  asm volatile("" : : "r"(unused.data()));
  heap::collect();
}

TEST(Collector, WhatFinishedCallsLeftIsCleared) {
  const auto weak = refer_weakly_and_leave_it_behind();
  collect_above_a_gap();
  EXPECT_FALSE(weak->dead()) << "nothing was left behind: this tests nothing";
  heap::clear_finished_calls<4096>();
  collect_above_a_gap();
  EXPECT_TRUE(weak->dead());
}

std::vector<double>& numbers_in(std::vector<double>& value) {
  return value;
}
std::vector<double>& numbers_in(std::pair<std::vector<double>, long>& value) {
  return value.first;
}
struct Row {
  Lazy<long> next;
  std::string name;
  std::optional<std::vector<double>> numbers;
};
std::vector<double>& numbers_in(Row& value) {
  return *value.numbers;
}

/// A value made of many numbers, which look like references to nodes.
template <class Make>
void expect_not_scanned(Make make) {
  constexpr std::size_t count = 20'000;
  using Value = decltype(make(std::vector<double>()));
  Simulation grid(grid_of(1, 1));
  const auto before = live_bytes();
  Lazy<Value> disguised;
  grid.run([&] {
    std::vector<double> numbers(count);
    for (auto& number : numbers) {
      const Lazy<std::array<long, 16>> node(std::array<long, 16>{});
      number = std::bit_cast<double>(node.node());
    }
    Value value = make(std::move(numbers));
    disguised = Lazy<Value>(value);
    std::ranges::fill(numbers_in(value), 0.0);
  });
  const auto after = live_bytes();
  EXPECT_LT(after, before + count * sizeof(double) + (std::size_t{1} << 20U));
  EXPECT_TRUE(disguised.evaluated());
}

static_assert(!heap::OwnsPlainArrays<std::vector<std::string>>);
static_assert(!heap::OwnsPlainArrays<std::pair<std::vector<std::vector<double>>, int>>);
static_assert(!heap::OwnsPlainArrays<std::map<int, int>>);

TEST(Collector, PlainArraysAreNotScanned) {
  expect_not_scanned([](std::vector<double> numbers) { return numbers; });
  expect_not_scanned([](std::vector<double> numbers) { return std::pair(std::move(numbers), 1L); });
  expect_not_scanned([](std::vector<double> numbers) {
    return Row{{}, "row", std::move(numbers)};
  });
}

struct Totals {
  std::size_t slots = 0;
  std::size_t proxies = 0;
};
Totals totals(Simulation& grid) {
  Totals sum;
  for (int i = 0; i < grid.size(); ++i) {
    auto& addresses = grid.pe(i).shared_heap().addresses();
    sum.slots += addresses.slots();
    sum.proxies += addresses.proxies();
  }
  return sum;
}

// Proxies die on one PE, their weight goes home, and frees proxies there: several rounds.
TEST(Collector, SlotsAndProxiesOfAllPesGoBackToZero) {
  for (const heap::Weight weight : {1U, 4U, 1U << 16U}) {
    auto config = grid_of(2, 3);
    config.full_weight = weight;
    config.options.spark_pool = 16;
    Simulation grid(config);
    std::size_t most = 0;
    grid.run([&] {
      for (int round = 0; round < 20; ++round) {
        const auto tree = lazy<grow>(1L, 256L);
        apply(tree, rdeepseq);
        const auto walk = par(lazy<test::sum>(tree));
        Simulation::work(3'000'000);  // the other PE takes it, and fetches the tree
        EXPECT_EQ(force(walk), 256 * 257 / 2);
        most = std::max(most, totals(grid).slots);
      }
    });
    EXPECT_GT(most, 1000U) << "little was shared: this tests nothing";
    for (int i = 0; i < 40 && totals(grid).slots + totals(grid).proxies != 0; ++i) {
      live_bytes();
      grid.sweep();
      grid.run([] { EXPECT_EQ(nfib(10), 177); });
      grid.settle();
    }
    // Of twenty trees of 511 nodes: a stale word may hold on to a part of one.
    EXPECT_LE(totals(grid).slots, 256U) << "full weight " << weight;
    EXPECT_LE(totals(grid).proxies, 256U) << "full weight " << weight;
  }
}

}  // namespace
}  // namespace trawl

#endif
