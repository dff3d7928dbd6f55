// What a PE that leaves has comes to who knows it, as it is: nothing is evaluated for it, and
// nothing made again after it.
#include <vector>

#include <gtest/gtest.h>
#include <trawl/placed.hpp>
#include <trawl/trawl.hpp>

#include "rts/heap/pack.hpp"
#include "rts/inline/places.hpp"
#include "tests/unit/dying_grid.hpp"

namespace trawl {
namespace {

using heap::State;
using Longs = std::vector<Lazy<long>>;

int noted = 0;

long noting(long x) {
  ++noted;
  return x;
}

template <class T>
Lazy<T> at(int pe, const Lazy<T>& thunk) {
  sched::place(thunk.node(), pe);
  Simulation::work(20'000'000);
  return thunk;
}

void leave(Simulation& simulation, const std::vector<int>& pes) {
  for (const int pe : pes) {
    simulation.pe(pe).leave();
    Simulation::work(100'000);  // in which that is decided
  }
  constexpr Nanos longest = 100'000'000;
  const auto begun = Simulation::clock_here();
  for (const int pe : pes)
    while (!simulation.pe(0).life().is_gone(pe)) Simulation::work(100'000);
  EXPECT_LT(Simulation::clock_here() - begun, longest);
}

std::uint64_t made_again(Simulation& simulation) {
  std::uint64_t sum = 0;
  for (int pe = 0; pe < simulation.size(); ++pe)
    for (const auto what : {Count::values_remade, Count::thunks_revived})
      sum += simulation.pe(pe).statistics()[static_cast<std::size_t>(what)];
  return sum;
}

/// Runs `root`, which leaves nothing to be made again.
template <class Root>
void run(const Simulation::Config& config, Root root) {
  noted = 0;
  Simulation simulation(config);
  simulation.run([&] { root(simulation); });
  simulation.settle(1'000'000'000);
  test::expect_weights_conserved(simulation);
  EXPECT_EQ(made_again(simulation), 0U);
  EXPECT_EQ(simulation.finish(0).code, 0);
}

Longs one_left(long x) {
  Longs all{lazy<noting>(x), lazy<noting>(x)};
  force(all.back());
  return all;
}

TEST(Homecoming, ValuesAndThunksComeAsTheyAre) {
  run(test::dying_grid_of(3), [](Simulation& simulation) {
    const auto there = at(1, detail::lazy_placed<one_left>(7L));
    leave(simulation, {1});
    ASSERT_TRUE(there.evaluated());
    EXPECT_EQ(noted, 1);
    const auto& all = force(there);
    EXPECT_FALSE(all.front().evaluated());
    EXPECT_TRUE(all.back().evaluated());
    EXPECT_EQ(force(all.front()) + force(all.back()), 14);
  });
}

struct Within {
  Lazy<Longs> in;
};
struct Outer {
  Lazy<Within> in;
};
Within with_thunk_at(int pe) {
  return {at(pe, detail::lazy_placed<one_left>(7L))};
}
Outer outer(int pe) {
  const auto within = lazy<with_thunk_at>(pe);
  force(within);
  return {within};
}

/// A packet has room for one value: who has that knows the next by name.
Simulation::Config grid_of_small_packets() {
  auto config = test::dying_grid_of(4);
  config.options.packet_size = 0;
  return config;
}

// What PE 1 has refers to what PE 2 has, and nobody else knows that.
TEST(Homecoming, OfTwoWhoLeaveTheLaterTakesWhatTheOtherHas) {
  for (const auto& leavers : {std::vector{1, 2}, std::vector{2, 1}, std::vector{1, 2, 3}})
    run(grid_of_small_packets(), [&](Simulation& simulation) {
      const auto there = at(1, detail::lazy_placed<outer>(2));
      leave(simulation, leavers);
      EXPECT_EQ(noted, 1);
      EXPECT_EQ(force(force(force(force(there).in).in).front()), 7);
    });
}

Longs passed_on(const Lazy<long>& thunk) {
  return {thunk};
}

// Where it has a second name here, which leads through the one who leaves, asking for it comes
// round: that name then stands for a second one like it.
TEST(Homecoming, AThunkWithTwoNamesGetsASecondOne) {
  auto config = grid_of_small_packets();
  config.full_weight = 1;  // who passes it on gives it a name of his own
  run(config, [](Simulation& simulation) {
    const auto mine = lazy<noting>(7L);
    const auto& theirs = force(at(1, detail::lazy_placed<passed_on>(mine))).front();
    ASSERT_NE(theirs.node(), mine.node());
    leave(simulation, {1});
    EXPECT_EQ(noted, 0);
    EXPECT_EQ(theirs.node()->state(), State::unevaluated);
    EXPECT_EQ(force(theirs), 7);
    EXPECT_EQ(noted, 1);
    EXPECT_EQ(force(mine), 7);
    EXPECT_EQ(noted, 2);
  });
}

Longs with_child(long x) {
  return {detail::lazy_placed<noting>(x)};
}

// Its own FETCH may come round to it.
TEST(Homecoming, NobodySendsAThunkToHimself) {
  Simulation simulation(test::dying_grid_of(1));
  simulation.run([&] {
    const auto value = detail::lazy_placed<with_child>(7L);
    const auto child = force(value).front();
    Writer packet;
    heap::pack_graph(packet, value.node(), simulation.pe(0).shared_heap().addresses(), {},
                     {0, heap::Arrays::copied});
    EXPECT_EQ(child.node()->state(), State::unevaluated);
  });
  EXPECT_EQ(simulation.finish(0).code, 0);
}

}  // namespace
}  // namespace trawl
