// Work goes where its data are: a thunk whose large argument lies where it does is evaluated there.
#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/lazy.hpp>

#include "tests/unit/heap_grid.hpp"

namespace trawl {
namespace {

using test::HeapGrid;

using Numbers = std::vector<double>;
struct Box {
  Lazy<Numbers> numbers;
};

// (Of a value: nobody need wait.)
double sum_of(Lazy<Numbers> numbers) {
  const auto& all = force(numbers);
  return std::accumulate(all.begin(), all.end(), 0.0);
}

double sum_of_own(const Numbers& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0);
}

constexpr std::size_t many = 20'000;
constexpr std::size_t few = 100;

struct Baggage : testing::Test {
  heap::PackLimits limits;
  HeapGrid grid{2, 1024, limits, 1};

  std::uint64_t bytes() { return grid.count(0, Count::packet_bytes); }
  std::uint64_t evaluated_at_home() { return grid.count(0, Count::sparks_created); }

  /// PE 1 needs a thunk of PE 0.
  template <class T>
  Lazy<T> need(Lazy<T> thunk) {
    const auto proxy = test::carry(thunk, grid[0].addresses(), grid[1].addresses(), limits);
    EXPECT_FALSE(proxy.evaluated());
    grid.demand(1, proxy.node());
    grid.settle();
    EXPECT_TRUE(proxy.evaluated());
    return proxy;
  }

  void TearDown() override {
    grid.settle();
    EXPECT_EQ(grid.asleep(), 0);
    EXPECT_EQ(grid.blocking_queues(), 0U);
    EXPECT_EQ(grid.weights_out(), grid.weights_held());
  }
};

TEST_F(Baggage, AThunkStaysWithItsLargeArgument) {
  const Lazy<Numbers> numbers(Numbers(many, 1.0));
  EXPECT_EQ(force(need(lazy<sum_of>(numbers))), 20'000.0);
  EXPECT_EQ(evaluated_at_home(), 1U);
  EXPECT_LT(bytes(), 1000U);
}

TEST_F(Baggage, AlsoWithOneOfItsOwn) {
  EXPECT_EQ(force(need(lazy<sum_of_own>(Numbers(many, 1.0)))), 20'000.0);
  EXPECT_EQ(evaluated_at_home(), 1U);
  EXPECT_LT(bytes(), 1000U);
}

TEST_F(Baggage, WithoutItGoesToWhoNeedsIt) {
  const Lazy<Numbers> numbers(Numbers(few, 1.0));
  EXPECT_EQ(force(need(lazy<sum_of>(numbers))), 100.0);
  EXPECT_EQ(evaluated_at_home(), 0U);
}

TEST_F(Baggage, WhoHasACopyGetsTheThunk) {
  const Lazy<Numbers> numbers(Numbers(many, 1.0));
  const auto box = test::carry(Lazy<Box>(Box{numbers}), grid[0].addresses(), grid[1].addresses());
  grid.demand(1, force(box).numbers.node());
  grid.settle();
  const auto before = bytes();
  EXPECT_EQ(force(need(lazy<sum_of>(numbers))), 20'000.0);
  EXPECT_EQ(evaluated_at_home(), 0U);
  EXPECT_LT(bytes() - before, 1000U);
}

}  // namespace
}  // namespace trawl
