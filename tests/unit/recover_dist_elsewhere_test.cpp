// Distributed data that were made on another PE than the main one, in a spark, when that PE dies.
#include <cstddef>

#include <gtest/gtest.h>
#include <trawl/dist.hpp>
#include <trawl/trawl.hpp>

#include "tests/unit/dying_grid.hpp"

namespace trawl {
namespace {

using test::added;
using test::grid_with_copies;
using test::same;

struct Two {
  Dist<long> first, second;
};

struct WithSum {
  Dist<long> data;
  Lazy<long> sum;
};

long number(std::size_t i) {
  return static_cast<long>(i);
}
long twice(long x) {
  return 2 * x;
}

int made_on = 0;

Two two(std::size_t count) {
  made_on = sched::pe_here();
  auto first = generate<number>(count);
  auto second = map<twice>(first);
  return {first, second};
}

WithSum with_sum(std::size_t count) {
  made_on = sched::pe_here();
  auto data = generate<number>(count);
  return {data, reduce<same, added>(data)};
}

Dist<long> twice_of(const Dist<long>& d) {
  made_on = sched::pe_here();
  return map<twice>(d);
}

/// Its maker has died before it is looked at.
template <class T>
void lose_maker_of(Simulation& simulation, const Lazy<T>& thunk) {
  par(thunk);
  while (!thunk.evaluated()) Simulation::work(1'000'000);
  force(thunk);
  ASSERT_NE(made_on, 0);
  simulation.net().kill(made_on);
  Simulation::work(100'000'000);
}

// Made again they are in other groups, as there are fewer PEs.
TEST(RecoverDistElsewhere, TwoInOneValue) {
  for (const int pes : {2, 3, 4}) {
    Simulation simulation(grid_with_copies(pes, 1'000));
    simulation.run([&] {
      const auto both = lazy<two>(std::size_t{233});
      lose_maker_of(simulation, both);
      EXPECT_EQ(force(both).first.size(), 233U);
      EXPECT_EQ(force(both).second.size(), 233U);
      EXPECT_EQ(force(reduce<same, added>(force(both).first)), 233 * 232 / 2);
      EXPECT_EQ(force(reduce<same, added>(force(both).second)), 233 * 232);
    });
    EXPECT_EQ(simulation.finish(3).code, 3) << pes;
  }
}

// Its steps came to their places by themselves, before the value that leads to them.
TEST(RecoverDistElsewhere, AReduceBesideIt) {
  for (const int pes : {2, 3, 4, 6}) {
    for (const std::size_t count : {7U, 233U, 4'000U}) {
      Simulation simulation(grid_with_copies(pes, 1'000));
      simulation.run([&] {
        const auto both = lazy<with_sum>(count);
        const auto expected = static_cast<long>(count * (count - 1) / 2);
        lose_maker_of(simulation, both);
        EXPECT_EQ(force(force(both).sum), expected);
        EXPECT_EQ(force(reduce<same, added>(force(both).data)), expected);
      });
      EXPECT_EQ(simulation.finish(3).code, 3) << pes;
    }
  }
}

TEST(RecoverDistElsewhere, MadeFromThoseOfTheMainPe) {
  for (const int pes : {2, 3, 4}) {
    Simulation simulation(grid_with_copies(pes, 1'000));
    simulation.run([&] {
      const auto d = generate<number>(std::size_t{233});
      EXPECT_EQ(d.size(), 233U);
      const auto more = lazy<twice_of>(d);
      lose_maker_of(simulation, more);
      EXPECT_EQ(force(reduce<same, added>(map<twice>(force(more)))), 2 * 233 * 232);
    });
    EXPECT_EQ(simulation.finish(3).code, 3) << pes;
  }
}

// Moved at each step, and never waited for.
TEST(RecoverDistElsewhere, MovedDataKeepPace) {
  Simulation simulation(grid_with_copies(3, 8));
  simulation.run([&] {
    auto d = generate<number>(std::size_t{100});
    const auto places = trawl::places();
    for (std::size_t i = 0; i < 200; ++i) d = on(places[i % places.size()], d);
    EXPECT_EQ(force(reduce<same, added>(d)), 100 * 99 / 2);
  });
  EXPECT_EQ(simulation.finish(3).code, 3);
}

}  // namespace
}  // namespace trawl
