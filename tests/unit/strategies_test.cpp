// Strategies and the maps made of them; evaluation to any depth.
#include <algorithm>
#include <array>
#include <list>
#include <map>
#include <optional>
#include <queue>
#include <ranges>
#include <set>
#include <stack>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "rts/sched/worker.hpp"
#include "tests/unit/lang_grid.hpp"

namespace {

using trawl::Lazy;
using namespace std::string_literals;
using namespace trawl::test;

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
    EXPECT_EQ(trawl::apply(x, trawl::r0).node(), x.node());
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
    EXPECT_THROW(trawl::par_map<fails>(std::vector<int>{70, 1, 70}), std::invalid_argument);
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

long one_of(long) {
  return 1;
}

TEST_P(Lang, MapReduceCountsAsFarAsItsEndGoes) {
  run([] {
    constexpr std::size_t more_than_an_int = 3'000'000'000;
    EXPECT_EQ((trawl::par_map_reduce<one_of, plus>(2'999'999'000U, more_than_an_int, 7, 0L)),
              1'000);
    EXPECT_EQ((trawl::par_map_reduce<one_of, plus>(-5, std::size_t{5}, more_than_an_int, 0L)), 10);
    EXPECT_EQ((trawl::par_map_reduce<one_of, plus>(short{0}, 40'000, 1'000, 0L)), 40'000);
  });
}

/// As a class for values of any kind.
struct Anything {
  std::string text;

  Anything() = default;
  template <class X>
  requires(!std::is_same_v<std::decay_t<X>, Anything>) Anything(X&&)
      : text("made of something") {}  // NOLINT
  template <class Archive>
  void serialize(Archive& archive) {
    archive(text);
  }
};
std::string text_of(const Anything& x) {
  return x.text;
}

TEST_P(Lang, MapTakesElementsThatCanBeMadeOfAnything) {
  run([] {
    for (const std::size_t chunk : {1U, 2U, 10U})
      EXPECT_EQ(trawl::par_map<text_of>(std::vector<Anything>(3), chunk),
                std::vector<std::string>(3));
    EXPECT_EQ(trawl::par_map<text_of>(std::vector<Anything>(3'000)).size(), 3'000U);
  });
}

long one(short) {
  return 1;
}

TEST_P(Lang, MapReduceTakesRangesLongerThanTheGreatestIndex) {
  run([] {
    const auto sparks = [] { return trawl::sched::worker_here().sparks_made(); };
    const auto before = sparks();
    EXPECT_EQ((trawl::par_map_reduce<one, plus>(short{-30'000}, short{30'000}, short{1'000}, 0L)),
              60'000);
    EXPECT_EQ(sparks() - before, 60U);
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

struct NestedLess {
  bool operator()(const std::vector<Lazy<long>>& a, const std::vector<Lazy<long>>& b) const {
    return a.size() < b.size();
  }
};

TEST_P(Lang, DeepEvaluationOfStacksAndQueues) {
  run([] {
    std::stack<Lazy<long>> stack;
    std::queue<Lazy<long>> queue;
    std::priority_queue<std::vector<Lazy<long>>, std::vector<std::vector<Lazy<long>>>, NestedLess>
        largest_first;
    const auto x = trawl::lazy<twice>(1), y = trawl::lazy<twice>(2), z = trawl::lazy<twice>(3);
    stack.push(x);
    queue.push(y);
    largest_first.push({z});
    trawl::rdeepseq(std::tuple{stack, std::vector{queue}, largest_first});
    EXPECT_TRUE(x.evaluated());
    EXPECT_TRUE(y.evaluated());
    EXPECT_TRUE(z.evaluated());
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
