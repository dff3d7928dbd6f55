// Thunks that are evaluated where they are placed, and values that stay where they are made.
#include <cstdint>
#include <vector>

#include <trawl/inline/places.hpp>
#include <trawl/keep.hpp>

#include "tests/unit/dist_grid.hpp"

namespace {

using trawl::Count;
using trawl::Lazy;
using trawl::Simulation;
using namespace trawl::test;

class Placed : public Skeletons {};

struct Field {
  Lazy<std::vector<long>> cells;
  int made_at = 0;
};
Field field(std::size_t n) {
  Simulation::work(100'000);
  return {trawl::keep(std::vector<long>(n, 3)), Simulation::here()};
}
long sum(const Field& f) {
  long all = 0;
  for (const long x : trawl::force(f.cells)) all += x;
  return all;
}
int where(long) {
  Simulation::work(1'000'000);
  return Simulation::here();
}
template <auto F, class... A>
auto placed(int pe, const A&... args) {
  const auto x = trawl::detail::lazy_placed<F>(args...);
  trawl::sched::place(x.node(), pe);
  return x;
}

TEST_P(Placed, RunsThereAndNowhereElse) {
  run([this] {
    std::vector<Lazy<int>> all;
    for (int i = 0; i < 40; ++i) all.push_back(placed<where>(i % 2 == 0 ? 0 : GetParam() - 1, 1L));
    let_others_work_a_while();
    for (std::size_t i = 0; i < all.size(); ++i)
      EXPECT_EQ(trawl::force(all[i]), i % 2 == 0 ? 0 : GetParam() - 1);
  });
  for (int pe = 1; pe + 1 < GetParam(); ++pe) EXPECT_EQ(count(pe, Count::sparks_imported), 0U);
}

TEST_P(Placed, ASparkOfOneIsNotFished) {
  run([] {
    std::vector<Lazy<int>> all;
    for (int i = 0; i < 20; ++i) all.push_back(trawl::par(placed<where>(0, 1L)));
    let_others_work_a_while();
    for (const auto& x : all) EXPECT_EQ(trawl::force(x), 0);
  });
}

// It is a spark there then.
TEST_P(Placed, AnyThunkMayBePlaced) {
  run([this] {
    const auto x = trawl::lazy<where>(1L);
    trawl::sched::place(x.node(), GetParam() - 1);
    trawl::sched::place(x.node(), 0);  // it has gone
    EXPECT_LT(trawl::force(x), GetParam());
    trawl::sched::place(x.node(), GetParam() - 1);  // it is evaluated
  });
}

long next(long x) {
  return x + 1;
}

TEST_P(Placed, OnesThatReferToEachOther) {
  run([this] {
    Lazy<long> x(0L);
    for (int i = 0; i < 100; ++i) x = placed<next>(i * 7 % GetParam(), x);
    EXPECT_EQ(trawl::force(x), 100);
  });
}

struct Refers {
  Lazy<int> inner;
};
Refers refers() {
  return {trawl::detail::lazy_placed<where>(1L)};
}

// What was placed takes others along on its way there, and its value none on the way home: two PEs
// would refer to each other, for ever.
TEST_P(Placed, WhatAValueRefersToStaysWhereItWasMade) {
  run([this] {
    const auto there = GetParam() - 1;
    const auto inner = trawl::force(placed<refers>(there)).inner;
    const auto expected =
        there == 0 ? trawl::heap::State::unevaluated : trawl::heap::State::fetch_me;
    EXPECT_EQ(inner.node()->state(), expected);
    EXPECT_EQ(trawl::force(inner), there);
  });
}

// Who is sent thunks is sent others that refer to them before anybody can know where they are now.
TEST_P(Placed, WhatRefersToOthersThatWentBeforeFindsThemThere) {
  run([this] {
    const std::vector<trawl::Place> there(3, trawl::detail::place_of(GetParam() - 1));
    std::vector<Lazy<Field>> fields;
    std::vector<Lazy<long>> sums;
    for (const std::size_t n : {10U, 20U, 30U})
      fields.push_back(trawl::detail::lazy_placed<field>(n));
    for (const auto& x : fields) sums.push_back(trawl::detail::lazy_placed<sum>(x));
    trawl::detail::start(fields, there);
    for (const auto& group : trawl::detail::start(sums, there)) trawl::force(group);
    EXPECT_EQ(count(GetParam() - 1, Count::fetch_sent), 0U);
    EXPECT_EQ(trawl::force(sums[2]), 90);
  });
}

TEST_P(Placed, AKeptValueStays) {
  constexpr std::size_t cells = 5000;
  const auto pe = GetParam() - 1;
  run([&] {
    const auto f = placed<field>(pe, cells);
    const auto g = placed<[](const Field& its) { return its; }>(GetParam() / 2, f);
    EXPECT_EQ(trawl::force(f).made_at, pe);
    EXPECT_EQ(trawl::force(placed<sum>(pe, g)), 3 * static_cast<long>(cells));
    EXPECT_EQ(trawl::force(g).made_at, pe);
  });
  EXPECT_LT(count(pe, Count::message_bytes), cells * sizeof(long) / 2);
  run([&] {
    const auto f = placed<field>(pe, cells);
    EXPECT_EQ(sum(trawl::force(f)), 3 * static_cast<long>(cells));
  });
  if (!alone()) {
    EXPECT_GT(count(pe, Count::message_bytes), cells * sizeof(long));
  }
}

std::vector<Lazy<std::vector<long>>> fields(int n) {
  std::vector<Lazy<std::vector<long>>> all;
  for (int i = 0; i < n; ++i) all.push_back(trawl::keep(std::vector<long>(1000, i)));
  return all;
}

// Nor do those beside it come along.
TEST_P(Placed, KeptValuesComeOneByOne) {
  const auto pe = GetParam() - 1;
  run([&] {
    const auto all = placed<fields>(pe, 50);
    for (std::size_t i = 10; i < 15; ++i)
      EXPECT_EQ(trawl::force(trawl::force(all)[i]), std::vector<long>(1000, static_cast<long>(i)));
  });
  if (!alone()) {
    EXPECT_LT(count(pe, Count::packet_bytes), 7 * 1000 * sizeof(long));
  }
}

TEST_P(Placed, WithSeveralWorkersOthersTakeTheLast) {
  run(two_workers(), [this] {
    std::vector<Lazy<int>> all;
    for (int i = 0; i < 10; ++i) all.push_back(placed<where>(GetParam() - 1, 1L));
    for (const auto& x : all) EXPECT_EQ(trawl::force(x), GetParam() - 1);
  });
}

INSTANTIATE_TEST_SUITE_P(Pes, Placed, testing::ValuesIn(grids));

}  // namespace
