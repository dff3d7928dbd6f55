// PEs die at each message of programs whose data are in several places: lazy lists whose tails are
// where they were made, long arrays that are lent, sparks of sparks.
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "tests/unit/dying_grid.hpp"
#include "tests/unit/units.hpp"

namespace trawl {
namespace {

using test::fib;
using test::Tally;

struct Cell {
  Lazy<long> head;
  Lazy<Cell> tail;
};

long next_after(const Lazy<long>& n) {
  Simulation::work(20'000);
  return force(n) + 1;
}

/// Passes on what it is given, as it is: what stands behind it is only known through its arguments.
Cell passing(long length, const Lazy<long>& head) {
  Simulation::work(20'000);
  if (length == 0) return {};
  return {head, lazy<passing>(length - 1, lazy<next_after>(head))};
}

/// Needs what it is given.
Cell needing(long length, const Lazy<long>& before) {
  Simulation::work(20'000);
  if (length == 0) return {};
  const Lazy<long> head(force(before));
  return {head, lazy<needing>(length - 1, lazy<next_after>(head))};
}

/// All of it is evaluated where it is made, and stays there.
Cell made_at_once(long length, long first) {
  Simulation::work(20'000);
  if (length == 0) return {};
  const auto rest = lazy<made_at_once>(length - 1, first + 1);
  force(rest);
  return {Lazy<long>(first), rest};
}

long first_number(long n) {
  Simulation::work(20'000);
  return n;
}

long sum_of(const Lazy<Cell>& list) {
  long sum = 0;
  for (const Cell* cell = &force(list); cell->head; cell = &force(cell->tail)) {
    sum += force(cell->head);
    Simulation::work(20'000);
  }
  return sum;
}

void let_others_begin() {
  for (int i = 0; i < 10; ++i) Simulation::work(50'000);
}

constexpr long length = 8;
constexpr long sum_of_list = length * 100 + length * (length - 1) / 2;

template <class Make>
Tally die_in_list(Make make) {
  Tally sum;
  for (const std::size_t packet : {std::size_t{0}, std::size_t{64}, std::size_t{64} << 10U})
    for (const std::size_t thunks : {0U, 1024U}) {
      auto config = test::dying_grid_of(3);
      config.options.packet_size = packet;
      config.options.thunks_per_packet = thunks;
      sum.add(test::run_dying_at_each_message(config, [&] {
        const auto list = par(make());
        let_others_begin();
        EXPECT_EQ(sum_of(list), sum_of_list);
      }));
    }
  EXPECT_EQ(sum.not_made_again, 0U);
  return sum;
}

TEST(RecoverLists, WhatWasPassedOn) {
  const auto sum = die_in_list([] { return lazy<passing>(length, lazy<first_number>(100)); });
  SCOPED_TRACE(sum.text());
  EXPECT_GT(sum.cases.by_argument, 0U);
}

TEST(RecoverLists, WhatThunksNeed) {
  const auto sum = die_in_list([] { return lazy<needing>(length, lazy<first_number>(100)); });
  SCOPED_TRACE(sum.text());
  EXPECT_GT(sum.cases.by_argument, 0U);
}

TEST(RecoverLists, WhatStayedWhereItWasMade) {
  const auto sum = die_in_list([] { return lazy<made_at_once>(length, 100); });
  SCOPED_TRACE(sum.text());
  EXPECT_GT(sum.cases.by_value, 0U);
}

TEST(Recover, SpawnedCalls) {
  const auto sum =
      test::run_dying_at_each_message(test::dying_grid_of(4), [] { EXPECT_EQ(fib(8), 21); });
  SCOPED_TRACE(sum.text());
  EXPECT_EQ(sum.not_made_again, 0U);
  EXPECT_GT(sum.cases.exported, 0U);
}

using Numbers = std::vector<double>;

Numbers raised(const Numbers& numbers, double by) {
  Simulation::work(100'000);
  auto all = numbers;
  for (double& x : all) x += by;
  return all;
}

double total(const Numbers& numbers) {
  double sum = 0;
  for (const double x : numbers) sum += x;
  return sum;
}

TEST(Recover, ArraysThatAreLent) {
  auto config = test::dying_grid_of(3);
  config.net.shared_memory = true;
  const auto sum = test::run_dying_at_each_message(config, [] {
    const Numbers ones(20'000, 1.0);
    std::vector<Lazy<Numbers>> all;
    for (int i = 0; i < 4; ++i) all.push_back(par(lazy<raised>(ones, i)));
    let_others_begin();
    double all_together = 0;
    for (const auto& each : all) all_together += total(force(each));
    EXPECT_EQ(all_together, 20'000 * (4 + 6));
  });
  SCOPED_TRACE(sum.text());
  EXPECT_EQ(sum.not_made_again, 0U);
  EXPECT_GT(sum.cases.exported, 0U);
}

long busy_for(Nanos time) {
  Simulation::work(time);
  return time;
}

// A PE behind a network that was cut for longer than the silence: its work is done by others, and
// when the cut has healed it is told so, and ends.
TEST(Recover, WhoComesBackEnds) {
  auto config = test::dying_grid_of(3);
  config.options.silence = 0.1;
  Simulation* grid = nullptr;
  config.net.lose = [&grid](int from, int to, std::span<const std::byte>) {
    const auto now = grid == nullptr ? 0 : grid->net().clock(from);
    return (from == 2) != (to == 2) && now > 20 * ms && now < 500 * ms;
  };
  Simulation simulation(config);
  grid = &simulation;
  simulation.run([] {
    std::vector<Lazy<long>> all;
    for (int i = 0; i < 50; ++i) all.push_back(par(lazy<busy_for>(50 * ms)));
    long sum = 0;
    for (const auto& each : all) sum += force(each);
    EXPECT_EQ(sum, 50 * 50 * ms);
  });
  EXPECT_TRUE(simulation.pe(0).life().is_gone(2));
  EXPECT_TRUE(simulation.pe(1).life().is_gone(2));
  EXPECT_FALSE(simulation.pe(1).life().stopping());
  EXPECT_TRUE(simulation.pe(2).life().stopping()) << "it was told that it was given up";
  EXPECT_EQ(simulation.finish(3).code, 3);
}

TEST(Recover, AGridFileSaysWhoDiesAndWhen) {
  auto config = test::dying_grid_of(4);
  config.net.grid = fabric::parse_grid(R"({
    "clusters": [{"name": "one", "pes": 4, "latency": "1 ms", "bandwidth": "1 GB/s"}],
    "deaths": [{"pe": 3, "at": "400 ms"}, {"pe": 1, "at": "900 ms"}]})",
                                       "four");
  Simulation simulation(config);
  simulation.run([&] {
    std::vector<Lazy<long>> all;
    for (int i = 0; i < 80; ++i) all.push_back(par(lazy<busy_for>(50 * ms)));
    long sum = 0;
    for (const auto& each : all) sum += force(each);
    EXPECT_EQ(sum, 80 * 50 * ms);
    // 4 s of work: 4 PEs do 1.6 s of it until the first death, 3 another 1.5 until the second.
    EXPECT_GT(Simulation::clock_here(), 1300 * ms);
    EXPECT_LT(Simulation::clock_here(), 1800 * ms);
  });
  EXPECT_TRUE(simulation.net().is_dead(3));
  EXPECT_TRUE(simulation.pe(0).life().is_gone(3));
  EXPECT_TRUE(simulation.pe(2).life().is_gone(1));
  EXPECT_EQ(simulation.finish(3).code, 3);
}

TEST(Recover, IsOffWhereItIsNotWanted) {
  auto config = test::dying_grid_of(3);
  config.options.recover = "off";
  Simulation* grid = nullptr;
  std::uint64_t messages = 0;
  config.net.lose = [&](int, int, std::span<const std::byte>) {
    if (++messages == 100) grid->net().kill(1);
    return false;
  };
  Simulation simulation(config);
  grid = &simulation;
  try {
    simulation.run([] {
      std::vector<Lazy<long>> all;
      for (int i = 0; i < 50; ++i) all.push_back(par(lazy<busy_for>(ms)));
      for (const auto& each : all) force(each);
    });
    FAIL() << "a PE has died";
  } catch (const Error& e) {
    EXPECT_EQ(std::string(e.what()), "PE 1 is lost: its process has ended");
  }
}

}  // namespace
}  // namespace trawl
