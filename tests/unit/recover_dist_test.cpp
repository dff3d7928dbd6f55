// PEs die at messages of programs with distributed data: what they had is made again from what it
// was made from, or from copies on other PEs.
#include <atomic>
#include <cstddef>
#include <latch>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/dist.hpp>
#include <trawl/trawl.hpp>

#include "rts/heap/collect.hpp"
#include "tests/unit/dying_grid.hpp"

namespace trawl {
namespace {

using test::added;
using test::grid_with_copies;
using test::same;
using test::squared;
using test::Tally;

long other_way(long x) {
  return 1'000'000 - x;
}
bool less(long x, long y) {
  return x < y;
}
long with_neighbours(const Around<long>& around) {
  return around[-1] + 2 * around[0] + around[1];
}

/// All kinds of ways from one Dist to the next.
long many_steps() {
  auto d = generate<squared>(12);
  const auto sum = reduce<same, added>(d);
  d = map<added>(d, sum);
  d = map<other_way>(d);
  d = sort<less>(d);
  d = stencil<with_neighbours>(d);
  const auto all = all_gather(d);
  d = scan<added>(d, 0L);
  d = map<added>(d, reduce<same, added>(d));
  d = evenly(d);
  long result = force(all).front();
  for (const long x : d) result = result * 31 % 1'000'003 + x;
  return result;
}

long without_deaths() {
  Simulation simulation(grid_with_copies(1, 0));
  long result = 0;
  simulation.run([&result] { result = many_steps(); });
  EXPECT_EQ(simulation.finish(3).code, 3);
  return result;
}

Tally die_in_steps(int copies) {
  const auto expected = without_deaths();
  return test::run_dying_at_some_messages(grid_with_copies(3, copies),
                                          [expected] { EXPECT_EQ(many_steps(), expected); });
}

TEST(RecoverDist, WithACopyAfterEachSkeleton) {
  const auto sum = die_in_steps(1);
  SCOPED_TRACE(sum.text());
  EXPECT_EQ(sum.not_made_again, 0U);
  EXPECT_GT(sum.cases.by_copy, 0U);
}

TEST(RecoverDist, WithACopyAfterEveryThird) {
  const auto sum = die_in_steps(3);
  SCOPED_TRACE(sum.text());
  EXPECT_EQ(sum.not_made_again, 0U);
  EXPECT_GT(sum.cases.by_copy, 0U);
}

TEST(RecoverDist, FromTheFirstStepOn) {
  const auto sum = die_in_steps(1'000);
  SCOPED_TRACE(sum.text());
  EXPECT_EQ(sum.not_made_again, 0U);
  EXPECT_EQ(sum.cases.by_copy, 0U);
  EXPECT_GT(sum.cases.by_recipe, 0U);
}

bool copies_fail = false;
int copies_failed = 0;

/// Is destroyed when its node has died: so what has come for a copy is copied once more.
struct Fragile {
  long x = 0;

  Fragile() = default;
  explicit Fragile(long its_x) : x(its_x) {}
  Fragile(const Fragile& other) : x(other.x) {
    if (!copies_fail) return;
    ++copies_failed;
    throw std::bad_alloc();
  }
  Fragile(Fragile&&) = default;
  Fragile& operator=(const Fragile&) = default;
  Fragile& operator=(Fragile&&) = default;
  ~Fragile() {}  // NOLINT(modernize-use-equals-default)

  template <class Archive>
  void serialize(Archive& archive) {
    archive(x);
  }
};

Fragile fragile(std::size_t i) {
  return Fragile(static_cast<long>(i));
}
long x_of(const Fragile& fragile) {
  return fragile.x;
}

// Then the data are still made again from what they were made from.
TEST(RecoverDist, ACopyThatFailedIsNone) {
  Simulation simulation(grid_with_copies(3, 1));
  simulation.run([&simulation] {
    const auto d = generate<fragile>(12);
    EXPECT_EQ(d.size(), 12U);
    copies_fail = true;
    auto parts = d.parts();
    detail::finish(parts.copying.node(), true);
    EXPECT_GT(copies_failed, 0);
    copies_fail = false;
    simulation.net().kill(1);
    Simulation::work(100'000'000);
    EXPECT_EQ(force(reduce<x_of, added>(d)), 66);
  });
  EXPECT_EQ(simulation.finish(3).code, 3);
}

struct Box {
  Lazy<std::vector<long>> kept;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(kept);
  }
};

Box boxed(long n) {
  return {keep(std::vector<long>(static_cast<std::size_t>(n), 1))};
}
Box passed_on(const Lazy<Box>& box) {
  return force(box);
}
/// Needs what is in the first.
Box after(const Lazy<Box>& first, const Lazy<Box>& second) {
  return force(force(first).kept).empty() ? Box{} : force(second);
}

template <class T>
void evaluate_on(int pe, const std::vector<Lazy<T>>& thunks) {
  detail::start(thunks, std::vector(thunks.size(), detail::place_of(pe)));
}

heap::SharedHeap::Cases cases_on_main(Simulation& simulation) {
  return simulation.pe(0).shared_heap().cases();
}

// What was made came here first from who passes it on, who would get it from here.
TEST(RecoverDist, WhoPassesItOnMayComeFirst) {
  Simulation simulation(grid_with_copies(2, 1'000));
  simulation.run([&simulation] {
    const auto box = detail::lazy_placed<&boxed>(12L);
    const auto passed = detail::lazy_placed<&passed_on>(box);
    evaluate_on(1, std::vector{passed, box});
    const auto kept = force(passed).kept;
    EXPECT_EQ(force(box).kept.node(), kept.node());
    simulation.net().kill(1);
    Simulation::work(100'000'000);
    EXPECT_EQ(force(kept).size(), 12U);
  });
  EXPECT_EQ(simulation.finish(3).code, 3);
}

/// Gives the main PE what is in the box, among the arguments of a thunk.
struct Sent {
  Lazy<Box> box;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(box);
  }
};
Box boxed_again(const Lazy<std::vector<long>>& kept) {
  return {kept};
}
Sent send_to_main(const Lazy<Box>& box) {
  auto again = detail::lazy_placed<&boxed_again>(force(box).kept);
  sched::place(again.node(), 0);
  return {again};
}
std::size_t size_later(const Lazy<std::vector<long>>& kept) {
  Simulation::work(200'000'000);
  return force(kept).size();
}

// Who has it has it from nobody who could make it again; he is asked by another.
TEST(RecoverDist, WhatWasAnArgumentFirstIsMadeFromAValue) {
  Simulation simulation(grid_with_copies(3, 1'000));
  simulation.run([&simulation] {
    const auto box = detail::lazy_placed<&boxed>(12L);
    const auto sent = detail::lazy_placed<&send_to_main>(box);
    evaluate_on(1, std::vector{box});
    evaluate_on(1, std::vector{sent});
    const auto kept = force(force(sent).box).kept;
    EXPECT_EQ(force(box).kept.node(), kept.node());
    const auto size = detail::lazy_placed<&size_later>(kept);
    sched::place(size.node(), 2);
    Simulation::work(50'000'000);
    simulation.net().kill(1);
    EXPECT_EQ(force(size), 12U);
  });
  EXPECT_EQ(simulation.finish(3).code, 3);
  EXPECT_EQ(cases_on_main(simulation).lost, 0U);
}

// Each passes on what needs the other.
TEST(RecoverDist, TwoThatPassOnEachOthersMayComeFirst) {
  Simulation simulation(grid_with_copies(2, 1'000));
  simulation.run([&simulation] {
    const auto one = detail::lazy_placed<&boxed>(12L);
    const auto two = detail::lazy_placed<&boxed>(20L);
    const auto one_again = detail::lazy_placed<&after>(two, one);
    const auto two_again = detail::lazy_placed<&after>(one, two);
    evaluate_on(1, std::vector{one_again, two_again, one, two});
    const auto kept_one = force(one_again).kept;
    const auto kept_two = force(two_again).kept;
    EXPECT_EQ(force(one).kept.node(), kept_one.node());
    EXPECT_EQ(force(two).kept.node(), kept_two.node());
    simulation.net().kill(1);
    Simulation::work(100'000'000);
    EXPECT_EQ(force(kept_one).size(), 12U);
    EXPECT_EQ(force(kept_two).size(), 20U);
  });
  EXPECT_EQ(simulation.finish(3).code, 3);
}

// Two workers that have the same data come to the next skeleton together.
TEST(RecoverDist, OneOfManyTellsWhereCopiesAre) {
  for (int round = 0; round < 500; ++round) {
    std::atomic<int> told{0};
    const detail::Copying copying;
    constexpr int at_once = 4;
    std::latch together(at_once);
    std::vector<std::jthread> workers;
    for (int i = 0; i < at_once; ++i)
      workers.emplace_back([&] {
        together.arrive_and_wait();
        told += copying.is_to_tell() ? 1 : 0;
      });
    workers.clear();
    EXPECT_EQ(told, 1);
  }
}

// Never a wrong answer: it is right, or the run says that it can't go on.
TEST(RecoverDist, WithoutCopiesTheRunEnds) {
  const auto sum = die_in_steps(0);
  SCOPED_TRACE(sum.text());
  EXPECT_GT(sum.not_made_again, 0U);
}

}  // namespace
}  // namespace trawl
