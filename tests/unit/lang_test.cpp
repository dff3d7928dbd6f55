// What a program can say, in grids of 1, 2 and 4 PEs.
#include <algorithm>
#include <array>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include <gtest/gtest.h>
#include <trawl.hpp>

#include "rts/simulate.hpp"

namespace {

using trawl::Lazy;
using trawl::Simulation;
using namespace std::string_literals;

constexpr trawl::Nanos a_while = 20'000'000;

/// Runs `root` in grids of several sizes. It is told the size.
class Lang : public testing::TestWithParam<int> {
 protected:
  void run(const std::function<void()>& root) {
    Simulation::Config config;
    config.net.pes = GetParam();
    Simulation simulation(config);
    simulation.run(root);
    simulation.settle();
  }
  bool alone() const { return GetParam() == 1; }
};

INSTANTIATE_TEST_SUITE_P(Pes, Lang, testing::Values(1, 2, 4));

long twice(long n) {
  return 2 * n;
}
long add(long a, long b) {
  return a + b;
}
/// Time for others to take what there is to take, and to bring it back.
void let_others_work() {
  for (int i = 0; i < 100; ++i) Simulation::work(a_while / 100);
}

int where(long) {
  return Simulation::here();
}

/// A thunk that another PE, if there is one, has evaluated.
template <auto F, class... A>
auto elsewhere(A... arguments) {
  auto x = trawl::par(trawl::lazy<F>(arguments...));
  let_others_work();
  return x;
}

// ---- Lazy --------------------------------------------------------------------------------------

Lazy<std::string> made_before_main{"there already"};
Lazy<long> suspended_before_main = trawl::lazy<twice>(21);

TEST(LangGlobal, LazyMadeBeforeMain) {
  EXPECT_TRUE(made_before_main.evaluated());
  EXPECT_EQ(trawl::force(made_before_main), "there already");
  EXPECT_FALSE(suspended_before_main.evaluated());
  Simulation::Config config;
  Simulation simulation(config);
  simulation.run([] { EXPECT_EQ(trawl::force(suspended_before_main), 42); });
}

TEST(LangOutside, IsAnErrorNotACrash) {
  const auto x = trawl::lazy<twice>(1);
  EXPECT_THROW(trawl::force(x), trawl::Error);
  EXPECT_THROW(trawl::par(x), trawl::Error);
  EXPECT_THROW(trawl::pseq(x, 1), trawl::Error);
  EXPECT_THROW(static_cast<void>(trawl::spawn<twice>(1)), trawl::Error);
  EXPECT_THROW(trawl::rdeepseq(x), trawl::Error);
  const Lazy<long> value(3);
  EXPECT_EQ(trawl::force(trawl::par(value)), 3);
}

TEST_P(Lang, LazyRefersToNothingByDefault) {
  run([] {
    const Lazy<long> none;
    EXPECT_FALSE(none);
    EXPECT_FALSE(none.evaluated());
    EXPECT_EQ(none, Lazy<long>());
    EXPECT_EQ(trawl::par(none), none);
    trawl::rdeepseq(none);
    EXPECT_THROW(trawl::force(none), trawl::Error);
    EXPECT_THROW(trawl::force(none), trawl::Error);
  });
}

TEST_P(Lang, LazyIsComparedByIdentity) {
  run([] {
    const auto x = trawl::lazy<twice>(3);
    const auto y = trawl::lazy<twice>(3);
    const auto copy = x;
    EXPECT_TRUE(x);
    EXPECT_EQ(x, copy);
    EXPECT_NE(x, y);
    EXPECT_FALSE(x.evaluated());
    EXPECT_EQ(trawl::force(copy), 6);
    EXPECT_TRUE(x.evaluated());
    EXPECT_FALSE(y.evaluated());
    Lazy<long> z;
    z = x;
    EXPECT_EQ(z, x);
  });
}

TEST_P(Lang, LazyInBothSpellings) {
  run([] {
    EXPECT_EQ(trawl::force(trawl::lazy<add>(1, 2)), 3);
    EXPECT_EQ(trawl::force(trawl::lazy<[](long n) { return n + 1; }>(1)), 2);
    EXPECT_EQ(trawl::force(trawl::lazy([](const std::string& s, auto n) { return s.size() + n; },
                                       "four"s, std::size_t{1})),
              5U);
    EXPECT_EQ(trawl::force(trawl::lazy([](const std::string& s) { return s + s; }, "ab")), "abab");
  });
}

/// Counts how often it is copied.
struct Counted {
  static inline int copies = 0;
  std::vector<long> data;

  Counted() = default;
  explicit Counted(std::size_t n) : data(n) {}
  Counted(const Counted& other) : data(other.data) { ++copies; }
  Counted(Counted&& other) noexcept = default;
  Counted& operator=(const Counted&) = default;
  Counted& operator=(Counted&&) noexcept = default;
  ~Counted() = default;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(data);
  }
};
std::size_t size(const Counted& c) {
  return c.data.size();
}

TEST_P(Lang, ArgumentsAreCopiedOnceOnly) {
  run([] {
    const Counted argument(10);
    Counted::copies = 0;
    const auto x = trawl::lazy<size>(argument);
    EXPECT_EQ(Counted::copies, 1);
    const auto y = trawl::lazy<size>(Counted(20));
    EXPECT_EQ(Counted::copies, 2);
    EXPECT_EQ(trawl::force(x) + trawl::force(y), 30U);
    EXPECT_EQ(Counted::copies, 2);
    auto z = trawl::spawn<size>(argument);
    EXPECT_EQ(Counted::copies, 3);
    EXPECT_EQ(z.sync(), 10U);
    auto w = trawl::spawn<size>(Counted(5));
    EXPECT_EQ(w.sync(), 5U);
    EXPECT_EQ(Counted::copies, 3);
  });
}

TEST_P(Lang, ForceGivesOneObject) {
  run([] {
    const auto x =
        trawl::lazy([](long n) { return std::vector<long>(static_cast<std::size_t>(n)); }, 9);
    const std::vector<long>& first = trawl::force(x);
    EXPECT_EQ(&first, &trawl::force(x));
    EXPECT_EQ(first.size(), 9U);
  });
}

TEST_P(Lang, ParMaySendItAway) {
  run([this] {
    const auto x = elsewhere<where>(1);
    EXPECT_EQ(trawl::force(x) == 0, alone());
    const auto y = trawl::par(trawl::lazy<twice>(2));
    EXPECT_EQ(trawl::par(y, 7), 7);
    EXPECT_EQ(trawl::force(y), 4);
  });
}

TEST_P(Lang, PseqEvaluatesFirst) {
  run([] {
    const auto x = trawl::lazy<twice>(2);
    const auto y = trawl::lazy<twice>(3);
    EXPECT_EQ(trawl::pseq(x, y), y);
    EXPECT_TRUE(x.evaluated());
    EXPECT_FALSE(y.evaluated());
    EXPECT_EQ(trawl::pseq(y, "s"s), "s");
  });
}

TEST_P(Lang, ValuesHoldLazies) {
  run([] {
    using Inner = std::map<std::string, std::vector<Lazy<long>>>;
    const auto make = [](long n) {
      return Inner{{"a", {trawl::lazy<twice>(n), Lazy<long>(n)}}, {"b", {}}};
    };
    const auto x = trawl::lazy(make, 5);
    const auto total = trawl::lazy(
        [](const Lazy<Inner>& inner) {
          long sum = 0;
          for (const auto& [name, values] : trawl::force(inner))
            for (const auto& value : values) sum += trawl::force(value);
          return sum;
        },
        x);
    trawl::par(total);
    let_others_work();
    EXPECT_EQ(trawl::force(total), 15);
    EXPECT_EQ(trawl::force(trawl::force(x).at("a")[0]), 10);
  });
}

// ---- exceptions --------------------------------------------------------------------------------

struct Unheard : std::runtime_error {
  using std::runtime_error::runtime_error;
};

long fails(int how) {
  switch (how) {
    case 0:
      throw std::out_of_range("far");
    case 1:
      throw std::invalid_argument("wrong");
    case 2:
      throw Unheard("of");
    case 3:
      throw 42;
    case 4:
      throw std::bad_alloc();
    default:
      return how;
  }
}

TEST_P(Lang, ExceptionsAreRethrownAtEveryForce) {
  run([] {
    const auto x = elsewhere<fails>(0);
    for (int i = 0; i < 3; ++i) {
      try {
        trawl::force(x);
        ADD_FAILURE();
      } catch (const std::out_of_range& e) {
        EXPECT_STREQ(e.what(), "far");
      }
    }
    EXPECT_TRUE(x.evaluated());
    EXPECT_THROW(trawl::force(elsewhere<fails>(1)), std::invalid_argument);
    EXPECT_THROW(trawl::force(elsewhere<fails>(4)), std::bad_alloc);
    EXPECT_THROW(trawl::force(trawl::lazy<fails>(1)), std::invalid_argument);
    EXPECT_THROW(trawl::pseq(x, 1), std::out_of_range);
  });
}

TEST_P(Lang, UnknownExceptionsKeepTheirNameAndMessage) {
  run([this] {
    EXPECT_THROW(trawl::force(trawl::lazy<fails>(2)), Unheard);
    EXPECT_THROW(trawl::force(trawl::lazy<fails>(3)), int);
    const auto x = elsewhere<fails>(2);
    const auto y = elsewhere<fails>(3);
    if (alone()) {
      EXPECT_THROW(trawl::force(x), Unheard);
      EXPECT_THROW(trawl::force(y), int);
      return;
    }
    try {
      trawl::force(x);
      ADD_FAILURE();
    } catch (const trawl::RemoteError& e) {
      EXPECT_NE(e.type_name().find("Unheard"), std::string::npos) << e.type_name();
      EXPECT_STREQ(e.what(), "of");
    }
    try {
      trawl::force(y);
      ADD_FAILURE();
    } catch (const trawl::RemoteError& e) {
      EXPECT_EQ(e.type_name(), "int");
    }
  });
}

// Passes through a thunk that forces the failed one, on yet another PE.
TEST_P(Lang, ExceptionsPassThroughThunks) {
  run([] {
    const auto x = elsewhere<fails>(0);
    const auto y =
        trawl::par(trawl::lazy([](const Lazy<long>& inner) { return trawl::force(inner); }, x));
    let_others_work();
    EXPECT_THROW(trawl::force(y), std::out_of_range);
  });
}

// ---- spawn -------------------------------------------------------------------------------------

long fib(int n) {
  Simulation::work(2000);
  if (n < 2) return n;
  auto x = trawl::spawn<fib>(n - 1);
  const long y = fib(n - 2);
  return x.sync() + y;
}

TEST_P(Lang, SpawnDividesAndConquers) {
  run([] { EXPECT_EQ(fib(16), 987); });
}

TEST_P(Lang, SyncInAnyOrder) {
  run([] {
    for (const bool pause : {false, true}) {
      auto a = trawl::spawn<twice>(1);
      auto b = trawl::spawn([](const std::string& s) { return s + "!"; }, "b");
      auto c = trawl::spawn<where>(0);
      auto d = trawl::spawn<add>(3, 4);
      if (pause) let_others_work();
      EXPECT_EQ(b.sync(), "b!");
      EXPECT_EQ(a.sync(), 2);
      EXPECT_EQ(d.sync(), 7);
      EXPECT_GE(c.sync(), 0);
    }
  });
}

TEST_P(Lang, WhatIsNeverSyncedIsWithdrawn) {
  static int made;
  made = 0;
  run([] {
    auto outer = trawl::spawn<twice>(1);
    {
      auto first = trawl::spawn([] { return ++made; });
      auto second = trawl::spawn(
          [](const std::vector<long>& v) { return made += static_cast<int>(v.size()); },
          std::vector<long>(100));
    }
    EXPECT_EQ(outer.sync(), 2);
    EXPECT_EQ(made, 0);
    // Taken away, and still running when nobody wants it any more.
    {
      auto away = trawl::spawn<fib>(8);
      Simulation::work(200'000);
    }
    EXPECT_EQ(fib(5), 5);
  });
}

TEST_P(Lang, SyncRethrows) {
  run([this] {
    auto here = trawl::spawn<fails>(2);
    EXPECT_THROW(here.sync(), Unheard);
    auto away = trawl::spawn<fails>(2);
    let_others_work();
    if (alone())
      EXPECT_THROW(away.sync(), Unheard);
    else
      EXPECT_THROW(away.sync(), trawl::RemoteError);
    auto standard = trawl::spawn<fails>(0);
    let_others_work();
    EXPECT_THROW(standard.sync(), std::out_of_range);
  });
}

long throws_with_sparks_pending(int depth) {
  auto x = trawl::spawn<fib>(4);
  auto y = trawl::spawn<fib>(5);
  Simulation::work(30'000);
  if (depth == 0) throw std::domain_error("deep");
  const long below = throws_with_sparks_pending(depth - 1);
  return x.sync() + y.sync() + below;
}

TEST_P(Lang, ExceptionsPassWhileSparksArePending) {
  run([] {
    auto before = trawl::spawn<twice>(4);
    EXPECT_THROW(throws_with_sparks_pending(10), std::domain_error);
    EXPECT_EQ(before.sync(), 8);
    EXPECT_EQ(fib(10), 55);
  });
}

// ---- strategies --------------------------------------------------------------------------------

std::vector<Lazy<long>> some(long n) {
  std::vector<long> numbers;
  for (long i = 0; i < n; ++i) numbers.push_back(i);
  return trawl::lazy_map<twice>(numbers);
}

long evaluated(const std::vector<Lazy<long>>& xs) {
  return std::count_if(xs.begin(), xs.end(), [](const auto& x) { return x.evaluated(); });
}

long sum(const std::vector<Lazy<long>>& xs) {
  long all = 0;
  for (const auto& x : xs) all += trawl::force(x);
  return all;
}

TEST_P(Lang, MapsTakeAnyContainer) {
  run([] {
    const std::list<long> list{3, 1, 2};
    const std::vector<long> doubled{6, 2, 4};
    EXPECT_EQ(trawl::force_all(trawl::lazy_map<twice>(list)), doubled);
    EXPECT_EQ(trawl::force_all(trawl::lazy_map<twice>(std::vector<int>{3, 1, 2})), doubled);
    EXPECT_EQ(trawl::force_all(trawl::lazy_map<twice>(std::views::iota(1L, 3L))),
              (std::vector<long>{2, 4}));
    for (const std::size_t chunk : {0U, 1U, 2U, 3U, 4U})
      EXPECT_EQ(trawl::par_map<twice>(list, chunk), doubled) << chunk;
    EXPECT_EQ(trawl::par_map<twice>(std::views::iota(1L, 3L)), (std::vector<long>{2, 4}));
    EXPECT_TRUE(trawl::par_map<twice>(std::set<long>()).empty());
  });
}

TEST_P(Lang, StrategiesOfOneValue) {
  run([this] {
    const auto x = trawl::lazy<twice>(1);
    EXPECT_EQ(trawl::apply(x, trawl::r0), x);
    EXPECT_FALSE(x.evaluated());
    trawl::apply(x, trawl::rpar);
    let_others_work();
    EXPECT_EQ(x.evaluated(), !alone());
    EXPECT_EQ(trawl::force(trawl::apply(x, trawl::rseq)), 2);
    const auto nested = trawl::lazy([](long n) { return trawl::lazy<twice>(n); }, 4);
    trawl::apply(nested, trawl::rseq);
    EXPECT_FALSE(trawl::force(nested).evaluated());
    trawl::apply(nested, trawl::rdeepseq);
    EXPECT_TRUE(trawl::force(nested).evaluated());
    EXPECT_THROW(trawl::apply(trawl::lazy<fails>(0), trawl::rseq), std::out_of_range);
  });
}

TEST_P(Lang, ApplyGivesTheValueOrWhatTheStrategyMakes) {
  run([] {
    auto xs = some(3);
    EXPECT_EQ(&apply(xs, trawl::seq_list(trawl::rseq)), &xs);  // unqualified: not std::apply
    static_assert(std::is_same_v<decltype(trawl::apply(some(3), trawl::par_list(trawl::rseq))),
                                 std::vector<Lazy<long>>>);
    long all = 0;
    for (const auto& x : trawl::apply(some(4), trawl::par_list(trawl::rseq)))
      all += trawl::force(x);
    EXPECT_EQ(all, 12);
    const long bonus = 5;
    EXPECT_EQ(trawl::apply(xs, [bonus](const auto& list) { return sum(list) + bonus; }), 11);
  });
}

TEST_P(Lang, StrategiesOfLists) {
  run([this] {
    const auto check = [this](const auto& strategy) {
      for (const long n : {0L, 1L, 7L, 100L}) {
        const auto xs = some(n);
        trawl::apply(xs, strategy);
        EXPECT_EQ(evaluated(xs), 0);
        let_others_work();
        EXPECT_TRUE(!alone() || evaluated(xs) == 0);
        EXPECT_EQ(sum(xs), n * (n - 1));
      }
    };
    check(trawl::par_list(trawl::r0));
    check(trawl::par_list(trawl::rseq));
    check(trawl::par_list(trawl::rpar));
    check(trawl::par_list(trawl::rdeepseq));
    check(trawl::par_list([](const Lazy<long>& x) { trawl::force(x); }));
    for (const std::size_t chunk : {0U, 1U, 3U, 1000U}) {
      check(trawl::par_list_chunk(chunk, trawl::rseq));
      check(trawl::par_list_chunk(chunk, trawl::rdeepseq));
    }
    const auto xs = some(9);
    trawl::apply(xs, trawl::seq_list(trawl::rseq));
    EXPECT_EQ(evaluated(xs), 9);
  });
}

TEST_P(Lang, ParListIsEvaluatedElsewhere) {
  run([this] {
    const auto xs = some(20);
    trawl::apply(xs, trawl::par_list(trawl::rseq));
    let_others_work();
    EXPECT_EQ(evaluated(xs), alone() ? 0 : 20);
  });
}

TEST_P(Lang, ParBuffer) {
  run([] {
    for (const std::size_t ahead : {0U, 1U, 4U, 1000U}) {
      for (const long n : {0L, 1L, 30L}) {
        const auto xs = some(n);
        long at = 0;
        for (const long& x : trawl::apply(xs, trawl::par_buffer(ahead, trawl::rseq)))
          EXPECT_EQ(x, 2 * at++);
        EXPECT_EQ(at, n);
      }
    }
  });
}

TEST_P(Lang, MapsAndForceAll) {
  run([] {
    EXPECT_TRUE(trawl::lazy_map<twice>(std::vector<long>()).empty());
    EXPECT_EQ(trawl::force_all(some(3)), (std::vector<long>{0, 2, 4}));
    EXPECT_EQ(trawl::force_all(std::vector<Lazy<long>>()), std::vector<long>());
    for (const std::size_t chunk : {0U, 1U, 2U, 5U, 100U}) {
      EXPECT_EQ(trawl::par_map<twice>(std::vector<long>{1, 2, 3, 4, 5}, chunk),
                (std::vector<long>{2, 4, 6, 8, 10}));
      EXPECT_TRUE(trawl::par_map<twice>(std::vector<long>(), chunk).empty());
    }
    const auto size = [](const std::string& s) { return s.size(); };
    EXPECT_EQ(trawl::par_map<size>(std::vector{"a"s, "bc"s}), (std::vector<std::size_t>{1, 2}));
    EXPECT_THROW(trawl::par_map<fails>(std::vector<int>{7, 1, 7}), std::invalid_argument);
  });
}

std::string spell(long n) {
  return std::to_string(n) + ",";
}
std::string append(const std::string& a, const std::string& b) {
  return a + b;
}
long plus(long a, long b) {
  return a + b;
}

TEST_P(Lang, MapReduceKeepsTheOrder) {
  run([] {
    std::string expected;
    for (long i = -3; i < 20; ++i) expected += spell(i);
    for (const long chunk : {-1L, 0L, 1L, 4L, 23L, 1000L})
      EXPECT_EQ((trawl::par_map_reduce<spell, append>(-3L, 20, chunk, ""s)), expected) << chunk;
    EXPECT_EQ((trawl::par_map_reduce<twice, plus>(0L, 100, 7, 0L)), 9900);
    EXPECT_EQ((trawl::par_map_reduce<twice, plus>(5L, 5, 7, 0L)), 0);
    EXPECT_EQ((trawl::par_map_reduce<twice, plus>(5L, 2, 7, 0L)), 0);
    EXPECT_EQ((trawl::par_map_reduce<twice, plus>(0U, 3U, 0U, 0L)), 6);
  });
}

// ---- deep evaluation ---------------------------------------------------------------------------

struct Cell {
  long head;
  Lazy<Cell> tail;
};

Cell count_from(long n, long end) {
  return {n, n + 1 < end ? trawl::lazy<count_from>(n + 1, end) : Lazy<Cell>()};
}

TEST_P(Lang, ALongListTakesNoStack) {
  static constexpr long length = 1'000'000;
  run([] {
    const auto list = trawl::lazy<count_from>(0, length);
    trawl::rdeepseq(list);
    long cells = 0;
    for (auto at = list; at; at = trawl::force(at).tail) {
      ASSERT_TRUE(at.evaluated());
      ++cells;
    }
    EXPECT_EQ(cells, length);
  });
}

struct Tree {
  long weight;
  std::vector<Tree> kids;
  std::optional<Lazy<Tree>> more;
};

Tree grow(long depth) {
  Tree tree{depth, {}, {}};
  if (depth > 0) {
    tree.kids.push_back({1, {}, trawl::lazy<grow>(depth - 1)});
    tree.kids.push_back({1, {}, trawl::lazy<grow>(depth - 1)});
    tree.more = trawl::lazy<grow>(0);
  }
  return tree;
}

long count_evaluated(const Tree& tree) {
  long n = 1;
  for (const auto& kid : tree.kids) n += count_evaluated(kid);
  if (tree.more) {
    EXPECT_TRUE(tree.more->evaluated());
    n += count_evaluated(trawl::force(*tree.more));
  }
  return n;
}

TEST_P(Lang, DeepEvaluationOfTreesAndOfAllKindsOfValues) {
  run([] {
    const auto tree = trawl::lazy<grow>(5);
    trawl::rdeepseq(tree);
    EXPECT_EQ(count_evaluated(trawl::force(tree)), 156);

    const auto x = trawl::lazy<twice>(1), y = trawl::lazy<twice>(2), z = trawl::lazy<twice>(3);
    const std::tuple value{std::map<std::string, Lazy<long>>{{"x", x}},
                           std::variant<long, Lazy<long>>(y),
                           std::pair{std::array{z}, std::optional<Lazy<long>>()}};
    trawl::rdeepseq(value);
    EXPECT_TRUE(x.evaluated() && y.evaluated() && z.evaluated());
  });
}

struct Ring {
  long n;
  std::vector<Lazy<Ring>> next;
};

TEST_P(Lang, CyclesAreWalkedOnce) {
  run([] {
    const Lazy<Ring> a(Ring{1, std::vector<Lazy<Ring>>(1)});
    const Lazy<Ring> b(Ring{2, {a}});
    const_cast<Ring&>(trawl::force(a)).next[0] = b;
    trawl::rdeepseq(a);
    const auto walk = trawl::par(trawl::lazy(
        [](const Lazy<Ring>& ring) {
          trawl::rdeepseq(ring);
          auto at = ring;
          long seen = 0;
          for (int i = 0; i < 10; ++i, at = trawl::force(at).next[0])
            seen = 10 * seen + trawl::force(at).n;
          return seen;
        },
        a));
    let_others_work();
    EXPECT_EQ(trawl::force(walk), 1212121212);
  });
}

}  // namespace
