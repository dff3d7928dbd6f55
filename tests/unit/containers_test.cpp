// Strategies of containers, of lazy lists and of tuples, one inside the other; circular structures.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <list>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "rts/heap/collect.hpp"
#include "tests/unit/counted.hpp"
#include "tests/unit/lang_grid.hpp"

namespace {

using trawl::force;
using trawl::Lazy;
using trawl::List;
using namespace trawl::test;

template <class... Strategy>
constexpr bool are_empty = (std::is_empty_v<Strategy> && ...);
static_assert(are_empty<decltype(trawl::seq_list(trawl::rseq)),
                        decltype(trawl::par_list(trawl::seq_list(trawl::rseq))),
                        decltype(trawl::dot(trawl::rseq, trawl::rpar))>,
              "so they may be strategies of elements");

std::vector<Lazy<long>> some(long n) {
  std::vector<Lazy<long>> all;
  for (long i = 0; i < n; ++i) all.push_back(trawl::lazy<twice>(i));
  return all;
}

TEST_P(Lang, StrategiesOfAnyContainer) {
  run([this] {
    const auto xs = some(4);
    const auto all_are = [&xs](bool evaluated) {
      for (const auto& x : xs) EXPECT_EQ(x.evaluated(), evaluated);
    };
    const auto check = [&](const auto& container) {
      trawl::apply(container, trawl::par_list(trawl::rseq));
      let_others_work();
      all_are(!alone());
      trawl::apply(container, trawl::seq_list(trawl::rseq));
      all_are(true);
    };
    check(std::list<Lazy<long>>(xs.begin(), xs.end()));
  });
  run([this] {
    const auto xs = some(3);
    const std::map<std::string, Lazy<long>> map{{"a", xs[0]}, {"b", xs[1]}, {"c", xs[2]}};
    trawl::apply(map, trawl::par_list_chunk(2, trawl::rdeepseq));
    let_others_work();
    for (const auto& x : xs) EXPECT_EQ(x.evaluated(), !alone());
    trawl::apply(map, trawl::seq_list(trawl::rseq));
    for (const auto& x : xs) EXPECT_TRUE(x.evaluated());
    const std::array<Lazy<long>, 2> array{trawl::lazy<twice>(1), trawl::lazy<twice>(2)};
    const std::deque<Lazy<long>> deque(array.begin(), array.end());
    trawl::apply(array, trawl::par_list(trawl::rseq));
    trawl::apply(deque, trawl::seq_list(trawl::rseq));
    EXPECT_EQ(force(array[1]), 4);
  });
}

TEST_P(Lang, StrategiesInsideOfStrategies) {
  run([this] {
    const std::vector<std::vector<Lazy<long>>> rows{some(3), some(2), {}};
    trawl::apply(rows, trawl::par_list(trawl::seq_list(trawl::rseq)));
    let_others_work();
    for (const auto& row : rows)
      for (const auto& x : row) EXPECT_EQ(x.evaluated(), !alone());
    trawl::apply(rows, trawl::seq_list(trawl::seq_list(trawl::rseq)));
    for (const auto& row : rows)
      for (const auto& x : row) EXPECT_TRUE(x.evaluated());

    std::vector<Lazy<std::vector<Lazy<long>>>> lazy_rows;
    for (long n = 0; n < 4; ++n) lazy_rows.push_back(trawl::lazy<some>(n));
    trawl::apply(lazy_rows, trawl::par_list(trawl::par_list(trawl::rseq)));
    let_others_work();
    for (const auto& row : lazy_rows) EXPECT_EQ(row.evaluated(), !alone());
    trawl::apply(lazy_rows, trawl::seq_list(trawl::seq_list(trawl::rseq)));
    for (const auto& row : lazy_rows)
      for (const auto& x : force(row)) EXPECT_TRUE(x.evaluated());
  });
}

TEST_P(Lang, StrategiesOfTuples) {
  run([this] {
    const auto parts =
        std::tuple(trawl::lazy<twice>(1), trawl::lazy<some>(3), trawl::lazy<twice>(2));
    trawl::apply(parts, trawl::par_tuple(trawl::rseq, trawl::seq_list(trawl::rseq), trawl::r0));
    let_others_work();
    EXPECT_EQ(std::get<0>(parts).evaluated(), !alone());
    EXPECT_EQ(std::get<1>(parts).evaluated(), !alone());
    EXPECT_FALSE(std::get<2>(parts).evaluated());
    const std::pair pair(std::get<1>(parts), std::get<2>(parts));
    trawl::apply(pair, trawl::seq_tuple(trawl::rdeepseq, trawl::rseq));
    EXPECT_TRUE(force(pair.first)[2].evaluated());
    EXPECT_TRUE(pair.second.evaluated());
  });
}

TEST_P(Lang, DotAppliesTheSecondArgumentFirst) {
  run([] {
    const auto x = trawl::lazy<some>(2);
    const auto evaluated_before = [&x](const auto&) { EXPECT_TRUE(x.evaluated()); };
    trawl::apply(x, trawl::dot(evaluated_before, trawl::rseq));
  });
}

// ---- lazy lists --------------------------------------------------------------------------------

List<long> doubled_from(long from, long to) {
  if (from == to) return {};
  return {trawl::lazy<twice>(from), trawl::lazy<doubled_from>(from + 1, to)};
}

TEST_P(Lang, StrategiesOfLazyLists) {
  run([this] {
    const auto list = trawl::lazy<doubled_from>(0, 10);
    trawl::apply(list, trawl::par_list(trawl::rseq));
    let_others_work();
    long count = 0;
    for (auto at = list; !force(at).empty(); at = force(at).tail) {
      EXPECT_EQ(force(at).head.evaluated(), !alone());
      EXPECT_EQ(force(force(at).head), 2 * count++);
    }
    EXPECT_EQ(count, 10);
    trawl::apply(list, trawl::par_list_chunk(3, trawl::rseq));
    trawl::apply(trawl::list_of(some(0)), trawl::par_list(trawl::rseq));
  });
}

TEST_P(Lang, ParBufferOfALazyList) {
  run([] {
    for (const std::size_t ahead : {std::size_t{0}, std::size_t{1}, std::size_t{4}, SIZE_MAX}) {
      for (const long n : {0L, 1L, 30L}) {
        long at = 0;
        for (const long& x :
             trawl::apply(trawl::lazy<doubled_from>(0, n), trawl::par_buffer(ahead, trawl::rseq)))
          EXPECT_EQ(x, 2 * at++);
        EXPECT_EQ(at, n);
      }
    }
  });
}

TEST_P(Lang, AListThatIsMovedIntoAParBufferIsItsOwn) {
  run([] {
    const auto sum = [](auto&& list) {
      long all = 0;
      for (const long& x : list) all += x;
      return all;
    };
    auto list = trawl::lazy<doubled_from>(0, 10);
    EXPECT_EQ(sum(trawl::apply(list, trawl::par_buffer(3, trawl::rseq))), 90);
    ASSERT_TRUE(list) << "that was a copy";
    EXPECT_EQ(sum(trawl::apply(std::move(list), trawl::par_buffer(3, trawl::rseq))), 90);
    EXPECT_FALSE(list);  // NOLINT(bugprone-use-after-move)
  });
}

TEST_P(Lang, AParBufferLetsGoOfWhatIsPassed) {
  if (trawl::heap::collector_statistics().heap_bytes == 0) GTEST_SKIP() << "nothing ever dies";
  if (!alone()) GTEST_SKIP() << "the other PEs' heaps are in this process too";
  if (std::getenv("TRAWL_TEST_TORTURE") != nullptr)
    GTEST_SKIP() << "collecting at any moment finds many a stale word";
  run([] {
    const auto live = [] {
      trawl::heap::collect();
      return trawl::heap::collector_statistics().live_bytes;
    };
    constexpr long cells = 30'000;
    const auto before = live();
    std::size_t most = 0;
    long at = 0;
    for (const long& x :
         trawl::apply(trawl::lazy<doubled_from>(0, cells), trawl::par_buffer(10, trawl::rseq))) {
      ASSERT_EQ(x, 2 * at);
      if (++at % 3'000 == 0) most = std::max(most, live());
    }
    EXPECT_LT(most, before + cells * 64 / 2) << "a cell and its head take 64";
  });
}

// ---- circular ----------------------------------------------------------------------------------

struct Ring {
  long value = 0;
  Lazy<Ring> next;
};

Ring ring(Lazy<Ring> self, long length, long at) {
  if (at + 1 == length) return {at, self};
  return {at, trawl::lazy([](const Lazy<Ring>& first, long its_length,
                             long its_place) { return ring(first, its_length, its_place); },
                          self, length, at + 1)};
}

TEST_P(Lang, AThunkThatIsToldItself) {
  run([] {
    const auto first = trawl::fix<ring>(3, 0);
    trawl::par(first);
    let_others_work();
    Lazy<Ring> at = first;
    for (long i = 0; i < 10; ++i, at = force(at).next) EXPECT_EQ(force(at).value, i % 3);
  });
}

// ---- spawn_all ---------------------------------------------------------------------------------

std::string repeated(long times, const std::string& text, long most) {
  std::string all;
  for (long i = 0; i < std::min(times, most); ++i) all += text;
  return all;
}

TEST_P(Lang, SpawnAllGivesArgumentsToEachCall) {
  run([] {
    auto all = trawl::spawn_all<repeated>(std::vector<long>{1, 2, 5}, std::string("ab"), 3L);
    EXPECT_EQ(all.sync(), (std::vector<std::string>{"ab", "abab", "ababab"}));
  });
}

TEST_P(Lang, SpawnAllGivesResultsInOrder) {
  run([] {
    for (const long n : {0L, 1L, 50L, 3000L}) {
      std::vector<long> numbers;
      for (long i = 0; i < n; ++i) numbers.push_back(i);
      auto all = trawl::spawn_all<twice>(numbers);
      const auto values = all.sync();
      ASSERT_EQ(values.size(), static_cast<std::size_t>(n));
      for (long i = 0; i < n; ++i) EXPECT_EQ(values[static_cast<std::size_t>(i)], 2 * i);
      EXPECT_THROW(all.sync(), trawl::Error);
    }
    auto some_fail = trawl::spawn_all<fails>(std::vector<int>{99, 1, 0});
    EXPECT_THROW(some_fail.sync(), std::invalid_argument) << "the first that failed";
  });
}

struct Withdrawn {};
using Element = Counted<Withdrawn>;
bool seen(const Element&) {
  return true;
}
bool never_seen(const Element&) {
  throw std::invalid_argument("an element");
}

// Their arguments go at once.
TEST_P(Lang, WhatIsNeverSyncedIsWithdrawn) {
  if (!alone()) return;
  run([] {
    for (const std::size_t n : {1U, 50U, 3000U}) {
      {
        auto all = trawl::spawn_all<seen>(std::vector<Element>(n));
        EXPECT_EQ(Element::alive, static_cast<int>(n));
      }
      EXPECT_EQ(Element::alive, 0) << n;
      EXPECT_THROW(trawl::par_map<never_seen>(std::vector<Element>(n)), std::invalid_argument);
      EXPECT_EQ(Element::alive, 0) << n << ", of which the first has thrown";
    }
  });
}

}  // namespace
