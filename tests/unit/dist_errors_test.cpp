// What skeletons say of a function that throws, and what they do with what can't be ordered.
#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "rts/heap/code.hpp"
#include "tests/unit/dist_grid.hpp"

namespace {

using trawl::Dist;
using namespace trawl::test;

class DistErrors : public Skeletons {};

long little_sum(long a, long b) {
  if (a + b > 1000) throw std::runtime_error("too much");
  return a + b;
}
long plus_few(long a, long b) {
  if (b == 77) throw std::runtime_error("it is 77");
  return a + b;
}
long itself(long x) {
  return x;
}
long key(long x) {
  if (x == 77) throw std::runtime_error("no key");
  return -x;
}
double weight(long x) {
  if (x == 77) throw std::runtime_error("no weight");
  return 1;
}
/// In a third of the shards somebody is.
bool never_of_large(long a, long b) {
  if (a > 100 || b > 100) throw std::runtime_error("too large");
  return a < b;
}
std::vector<long> row(std::size_t i) {
  if (i == 77) throw std::runtime_error("no row");
  return std::vector<long>(100, static_cast<long>(i));
}

long sum_of(const std::vector<long>& all, long most) {
  const long sum = std::accumulate(all.begin(), all.end(), 0L);
  if (sum > most) throw std::runtime_error("more than " + std::to_string(most));
  return sum;
}

template <class Use>
void expect_said(Use use, const std::string& begin, const std::string& cause) {
  try {
    use();
    ADD_FAILURE() << begin;
  } catch (const trawl::ElementError& e) {
    const std::string what = e.what();
    EXPECT_EQ(what.rfind(begin, 0), 0U) << what;
    EXPECT_NE(what.find(cause), std::string::npos) << what;
  }
}

std::vector<std::pair<long, long>> with_one_key(long x) {
  return {{0, x}};
}

TEST_P(DistErrors, NameTheSkeletonAndTheFunction) {
  run([] {
    const auto d = trawl::generate<index_of>(300);
    expect_said([&] { trawl::collect(trawl::map_reduce<with_one_key, little_sum>(d)); },
                "map_reduce<{anonymous}::little_sum>: combining element", "too much");
    expect_said(  // a shard an element: they are combined across shards alone
        [] {
          trawl::collect(
              trawl::map_reduce<with_one_key, little_sum>(trawl::generate<index_of>(64)));
        },
        "map_reduce<", "too much");
    expect_said([&] { trawl::force(trawl::reduce<itself, little_sum>(d)); },
                "reduce<{anonymous}::little_sum>: combining ", "too much");
    expect_said([&] { trawl::force(trawl::reduce<itself, plus_few>(d)); },
                "reduce<{anonymous}::plus_few>: combining element 2 of shard 15", "it is 77");
    expect_said([&] { trawl::collect(trawl::scan<little_sum>(d, 0L)); }, "scan<", "too much");
    expect_said([&] { trawl::collect(trawl::scan<plus_few>(d, 0L)); }, "scan<", "it is 77");
    expect_said([&] { trawl::collect(trawl::sort<key>(d)); }, "sort<", "no key");
    expect_said([&] { trawl::collect(trawl::sort<itself>(d, trawl::by<weight>)); },
                "sort<{anonymous}::weight>", "no weight");
    expect_said([&] { trawl::collect(trawl::sort<never_of_large>(d)); },
                "sort<{anonymous}::never_of_large>: shard 20", "too large");
    if (trawl::places().size() > 1)
      expect_said([&] { trawl::rebalance(d, 1, trawl::by<weight>); }, "rebalance<", "no weight");
    expect_said([&] { trawl::collect(trawl::exchange(trawl::generate<row>(100))); }, "generate<",
                "no row");
    expect_said([&] { trawl::force(trawl::apply<sum_of>(trawl::all_gather(d), 40'000L)); },
                "apply<", "more than 40000");
    EXPECT_EQ(trawl::force(trawl::apply<sum_of>(trawl::all_gather(d), 50'000L)), 300 * 299 / 2);
  });
}

double odd(std::size_t i) {
  if (i % 7 == 3) return std::numeric_limits<double>::quiet_NaN();
  if (i % 7 == 5) return -std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(i * 7919 % 1009) - 500;
}

// By their bits: what is no number comes first or last.
TEST_P(DistErrors, WhatIsNoNumberIsSortedToo) {
  for (const std::size_t n : {7U, 50U, 147U, 3000U})
    run([n] {
      const auto sorted = trawl::collect(trawl::sort(trawl::generate<odd>(n)));
      ASSERT_EQ(sorted.size(), n);
      std::size_t numbers = 0;
      double before = -1e9;
      for (const double x : sorted) {
        if (x != x) continue;
        ++numbers;
        EXPECT_LE(before, x);
        before = x;
      }
      EXPECT_EQ(numbers, n - (n + 3) / 7 - (n + 1) / 7);
    });
}

struct Reading {
  double at = 0;
  long number = 0;
};
Reading reading(std::size_t i) {
  return {odd(i), static_cast<long>(i)};
}
bool before(const Reading& a, const Reading& b) {
  return a.at < b.at;
}
bool not_after(const long& a, const long& b) {
  return a <= b;
}
bool never_again(long a, long b) {
  if (b - a > 20) throw std::runtime_error("no order");  // not in one shard
  return a < b;
}

// An order that is none gives some order, of the same elements.
TEST_P(DistErrors, WhatContradictsItselfLosesNothing) {
  for (const std::size_t n : {10U, 64U, 1000U, 20'000U})
    run([n] {
      std::vector<long> numbers;
      for (const auto& x : trawl::sort<before>(trawl::generate<reading>(n)))
        numbers.push_back(x.number);
      std::ranges::sort(numbers);
      std::vector<long> all(n);
      std::iota(all.begin(), all.end(), 0);
      EXPECT_EQ(numbers, all);
      EXPECT_EQ(trawl::sort<not_after>(trawl::generate<index_of>(n)).size(), n);
    });
}

TEST_P(DistErrors, AnOrderThatThrowsIsNamed) {
  run([] {
    expect_said([] { trawl::collect(trawl::sort<never_again>(trawl::generate<index_of>(300))); },
                "sort<", "no order");
  });
}

const std::string& longer(const std::string& a, const std::string& b) {
  return b.size() > a.size() ? b : a;
}
std::string text(std::size_t i) {
  return std::string(i * 37 % 101, 'x') + std::to_string(i);
}
std::string same(const std::string& x) {
  return x;
}

TEST_P(DistErrors, CombiningMayGiveAReference) {
  run([] {
    const auto of_dist = trawl::force(trawl::reduce<same, longer>(trawl::generate<text>(500)));
    EXPECT_EQ(of_dist.size(), 103U);
    EXPECT_EQ((trawl::reduce<same, longer>(trawl::sequence<text>(500))), of_dist);
  });
}

// A damaged message may bring one.
TEST_P(DistErrors, AGroupMayBeOfNothing) {
  using trawl::heap::Node;
  run([] {
    for (const auto& group : {std::vector<Node*>(), std::vector<Node*>(3)}) {
      const auto ran = trawl::Lazy<trawl::detail::Ran>::refer_to(trawl::detail::group_of(group));
      EXPECT_EQ(trawl::heap::logged_code(ran.node()), ran.node()->code().id);
      EXPECT_EQ(trawl::force(ran).shapes.size(), group.size());
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Pes, DistErrors, testing::ValuesIn({1, 3}));

}  // namespace
