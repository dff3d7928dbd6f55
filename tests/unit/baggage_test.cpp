// Work goes where its data are: a thunk whose large argument lies where it does is evaluated there,
// and a spark goes to where its large values are.
#include <numeric>
#include <optional>
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

// ---- sparks ------------------------------------------------------------------------------------

struct Parcel {
  Lazy<Numbers> numbers;
  long weight;
};

Parcel parcel(std::size_t size) {
  return {Lazy<Numbers>(Numbers(size, 1.0)), 1};
}

double sum_of_parcel(Lazy<Parcel> parcel) {
  return sum_of(force(parcel).numbers);
}

double sum_of_several(Lazy<Numbers> one, Lazy<Numbers> other, Lazy<Numbers> third) {
  return sum_of(one) + sum_of(other) + sum_of(third);
}

struct DataElsewhere : Baggage {
  DataElsewhere() {
    for (int pe = 0; pe < grid.size(); ++pe) grid[pe].addresses().heed_large([] {});
  }

  /// Made on PE 1, as a spark; its value is at home.
  Lazy<Parcel> made_there(std::size_t size) {
    const auto made = lazy<parcel>(size);
    EXPECT_TRUE(grid[0].export_spark(made.node(), 1));
    grid.settle();
    EXPECT_TRUE(made.evaluated());
    return made;
  }

  template <class T>
  std::optional<std::uint32_t> place_of_data(Lazy<T> thunk) {
    const auto pe = grid[0].place_of_data(thunk.node());
    EXPECT_EQ(thunk.node()->state(), heap::State::unevaluated);
    return pe;
  }
};

TEST_F(DataElsewhere, LargePartsOfAResultStayWhereItWasMade) {
  EXPECT_FALSE(grid[0].addresses().knows_large());
  const auto box = made_there(many);
  EXPECT_TRUE(grid[0].addresses().knows_large());
  EXPECT_EQ(place_of_data(lazy<sum_of>(force(box).numbers)), 1U);
  EXPECT_EQ(place_of_data(lazy<sum_of_parcel>(box)), 1U);
  EXPECT_EQ(place_of_data(lazy<parcel>(many)), std::nullopt);
}

TEST_F(DataElsewhere, SmallOnesComeHome) {
  const auto box = made_there(few);
  EXPECT_FALSE(grid[0].addresses().knows_large());
  EXPECT_EQ(place_of_data(lazy<sum_of_parcel>(box)), std::nullopt);
}

TEST_F(DataElsewhere, WhoHasMostOfItDecides) {
  const auto there = force(made_there(many)).numbers;
  const Lazy<Numbers> here(Numbers(many, 2.0));
  const Lazy<Numbers> also_here(Numbers(many, 3.0));
  EXPECT_EQ(place_of_data(lazy<sum_of_several>(there, here, also_here)), std::nullopt);
  EXPECT_EQ(place_of_data(lazy<sum_of_several>(there, here, there)), std::nullopt);
  const auto also_there = force(made_there(many)).numbers;
  EXPECT_EQ(place_of_data(lazy<sum_of_several>(there, here, also_there)), 1U);
}

TEST_F(DataElsewhere, WhatHasBeenFetchedIsHere) {
  const auto box = made_there(many);
  grid.demand(0, force(box).numbers.node());
  grid.settle();
  EXPECT_EQ(place_of_data(lazy<sum_of_parcel>(box)), std::nullopt);
}

TEST_F(DataElsewhere, WhatIsBeingMadeWillBeWhereOthersOfItsKindAre) {
  const auto earlier = made_there(many);
  const auto pending = lazy<parcel>(many);
  EXPECT_TRUE(grid[0].export_spark(pending.node(), 1));
  EXPECT_EQ(place_of_data(lazy<sum_of_parcel>(pending)), 1U);
}

TEST_F(DataElsewhere, UnlessTheLastOfTheseWasSmall) {
  const auto large = made_there(many);
  const auto small = made_there(few);
  const auto pending = lazy<parcel>(many);
  EXPECT_TRUE(grid[0].export_spark(pending.node(), 1));
  EXPECT_EQ(place_of_data(lazy<sum_of_parcel>(pending)), std::nullopt);
}

TEST_F(Baggage, WhereNobodyHeedsItNothingIsKnown) {
  const auto made = lazy<parcel>(many);
  EXPECT_TRUE(grid[0].export_spark(made.node(), 1));
  grid.settle();
  EXPECT_FALSE(grid[0].addresses().knows_large());
  EXPECT_EQ(grid[0].place_of_data(lazy<sum_of_parcel>(made).node()), std::nullopt);
}

}  // namespace
}  // namespace trawl
