// The collector keeps what can be reached, wherever it sits, and takes the rest back.
#ifndef TRAWL_NO_COLLECTOR

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "rts/heap/weak.hpp"
#include "rts/sched/spark_pool.hpp"
#include "rts/simulate.hpp"

namespace trawl {
namespace {

/// Collects at every n-th allocation of a node.
class Torture {
 public:
  explicit Torture(unsigned every) { heap::set_torture(every); }
  ~Torture() { heap::set_torture(0); }
  Torture(const Torture&) = delete;
  Torture& operator=(const Torture&) = delete;
};

struct Tree {
  long value = 0;
  Lazy<Tree> left;
  Lazy<Tree> right;
};

Tree grow(long from, long to) {
  Simulation::work(2000);
  if (from == to) return {from, {}, {}};
  const long middle = (from + to) / 2;
  return {0, lazy<grow>(from, middle), lazy<grow>(middle + 1, to)};
}

long sum(Lazy<Tree> at) {
  const Tree tree = force(at);
  if (!tree.left) return tree.value;
  auto left = spawn<sum>(tree.left);
  const long right = sum(tree.right);
  return left.sync() + right;
}

long nfib(long n) {
  Simulation::work(1000);
  if (n < 2) return 1;
  const auto x = par(lazy<nfib>(n - 1));
  const long y = nfib(n - 2);
  return force(x) + y + 1;
}

std::map<long, std::vector<Lazy<long>>> table(long n) {
  std::map<long, std::vector<Lazy<long>>> rows;
  for (long i = 0; i < n; ++i)
    for (long j = 0; j <= i; ++j) rows[i].push_back(par(lazy<nfib>(j % 4)));
  return rows;
}

long fails_deep(long n) {
  if (n == 0) throw std::out_of_range("at the bottom");
  return force(par(lazy<fails_deep>(n - 1))) + 1;
}

Simulation::Config grid_of(int pes, std::uint64_t seed) {
  Simulation::Config config;
  config.net.pes = pes;
  config.net.seed = seed;
  config.net.jitter = 30'000;
  config.net.reorder = true;
  config.options.packet_size = 300;
  config.options.thunks_per_packet = 3;
  return config;
}

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

// ---- where a Lazy may sit ----------------------------------------------------------------------

Lazy<long> in_a_global;
std::vector<Lazy<long>> in_a_global_vector;
thread_local Lazy<long> in_a_thread_local;

// Overwrites what earlier calls have left on the stack, then collects and reuses what was freed.
[[gnu::noinline]] void scrub_and_collect() {
  [[maybe_unused]] volatile long rubbish[4096];
  for (long i = 0; i < 4096; ++i) rubbish[i] = i;
  for (int i = 0; i < 3; ++i) {
    heap::collect();
    for (long n = 0; n < 20'000; ++n) static_cast<void>(Lazy<long>(-n));
  }
}

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

// ---- what is taken back ------------------------------------------------------------------------

[[gnu::noinline]] std::size_t live_bytes() {
  for (int i = 0; i < 4; ++i) {
    heap::clear_finished_calls<4096>();
    heap::collect();
    heap::run_finalisers();
  }
  return heap::collector_statistics().live_bytes;
}

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

// ---- sparks ------------------------------------------------------------------------------------

struct Sparked {
  sched::SparkPool pool{100};
  std::vector<std::unique_ptr<heap::Weak>> weak;

  [[gnu::noinline]] Lazy<long> push(long n) {
    const auto thunk = lazy<nfib>(n);
    EXPECT_TRUE(pool.push(thunk.node()));
    weak.push_back(std::make_unique<heap::Weak>(thunk.node()));
    weak.back()->let_die();
    return thunk;
  }
  long dead() const {
    return std::count_if(weak.begin(), weak.end(), [](const auto& each) { return each->dead(); });
  }
};

[[gnu::noinline]] void push_and_drop(Sparked& sparks, long n, heap::State state) {
  for (long i = 0; i < n; ++i) sparks.push(i).node()->move(heap::State::unevaluated, state);
}

TEST(Collector, ASparkKeepsNothingAlive) {
  for (const auto state : {heap::State::unevaluated, heap::State::black_hole}) {
    Sparked sparks;
    const auto first = sparks.push(1);
    push_and_drop(sparks, 40, state);
    sched::Slot* call =
        sparks.pool.push(heap::thunk_code<Function<argument>, long, Lazy<long>>, Lazy<long>(5));
    const auto second = sparks.push(2);
    push_and_drop(sparks, 40, state);
    const auto third = sparks.push(3);
    scrub_and_collect();
    EXPECT_GE(sparks.dead(), 78) << "a stale word may hold on to one or two";
    EXPECT_GE(sparks.pool.fizzled(), 78U);
    EXPECT_EQ(sparks.weak.size(), 83U);
    // What is alive is found, around what has been forgotten.
    EXPECT_EQ(sparks.pool.take_oldest(false), first.node());
    EXPECT_EQ(sparks.pool.take_newest(), third.node());
    if (state == heap::State::black_hole) {
      heap::Node* copy = sparks.pool.take_oldest(false);
      ASSERT_NE(copy, nullptr);
      scrub_and_collect();
      EXPECT_EQ(sparks.pool.take_oldest(false), second.node());
      using T = heap::Thunk<Function<argument>, long, Lazy<long>>;
      EXPECT_EQ(force(std::get<0>(T::arguments(copy)).value), 5);
      EXPECT_EQ(sparks.pool.reclaim(call, true), copy);
    }
  }
}

// All live sparks are found whoever takes them, while collections forget others.
TEST(Collector, SparksAreTakenWhileOthersAreForgotten) {
  constexpr long rounds = 3000;
  std::atomic<bool> leaving{false};
  std::atomic<long> stolen{0};
  sched::prepare_fences();
  sched::SparkPool pool(64);
  const auto take = [&](heap::Node* node) {
    return node->move(heap::State::unevaluated, heap::State::black_hole) ? 1 : 0;
  };
  std::thread thief([&] {
    heap::mutator();
    while (!leaving) {
      if (heap::Node* node = pool.take_oldest(false)) stolen += take(node);
      std::this_thread::yield();
    }
  });
  std::atomic<long> round{0};
  std::thread collector([&] {
    for (long last = 0; !leaving; last = round) {
      heap::collect();
      while (!leaving && round < last + 3) std::this_thread::yield();
    }
  });
  std::mt19937 random(1);
  long taken = 0;
  for (long i = 0; i < rounds || stolen == 0; ++i, ++round) {
    std::array<Lazy<long>, 4> kept;
    for (auto& each : kept) {
      pool.push(lazy<nfib>(i).node());  // dropped
      each = lazy<nfib>(i);
      pool.push(each.node());
    }
    if (random() % 4 == 0) std::this_thread::yield();
    for (auto at = kept.rbegin(); at != kept.rend(); ++at) {
      if (random() % 2 == 0) pool.take_back(at->node());
      taken += take(at->node());
      if (random() % 2 == 0)
        if (heap::Node* node = pool.take_newest()) taken += take(node);
    }
    while (heap::Node* node = pool.take_newest()) taken += take(node);
  }
  leaving = true;
  thief.join();
  collector.join();
  EXPECT_GE(taken + stolen, 4 * round) << "those that were kept are evaluated by somebody";
  EXPECT_LE(taken + stolen, 8 * round);
  EXPECT_GT(pool.fizzled(), 0U);
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
        const auto walk = par(lazy<sum>(tree));
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
