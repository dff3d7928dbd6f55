// Who evaluates a structure of thunks of another PE: how often he asks, and what moves that he does
// not need yet.
#include <algorithm>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/heap_grid.hpp"

namespace trawl::heap {
namespace {

using test::HeapGrid;

struct Branches {
  long value = 0;
  std::vector<Lazy<Branches>> all;
};

long thunks_made = 0;

// Evaluated, it is what its argument was.
Lazy<Branches> unevaluated(int levels, std::size_t fan_out) {
  Branches tree{++thunks_made, {}};
  if (levels > 1)
    for (std::size_t i = 0; i < fan_out; ++i) tree.all.push_back(unevaluated(levels - 1, fan_out));
  return trawl::lazy([](const Branches& itself) { return itself; }, tree);
}

/// PE 1 has fished a spark of PE 0 that refers to a tree of thunks, and evaluates them one by one.
class WalkingThunks : public ::testing::Test {
 protected:
  static constexpr std::size_t thunks_a_packet = 100;
  HeapGrid grid{2, 1U << 16U, {1U << 16U, thunks_a_packet}, 1};
  Nanos each = 0;  // thunk takes that long
  long seen = 0;

  WalkingThunks() {
    thunks_made = 0;
    grid.one_way = 20'000;
  }

  Lazy<Branches> fished(const Lazy<Branches>& tree) {
    EXPECT_TRUE(grid[0].export_spark(tree.node(), 1));
    grid.deliver();
    Node* spark = grid.work(1);
    EXPECT_NE(spark, nullptr);
    grid.settle();
    return Lazy<Branches>::refer_to(spark);
  }
  const Branches& look(const Lazy<Branches>& tree) {
    ++seen;
    while (tree.node()->state() != State::value) {
      grid.demand(1, tree.node());
      grid.settle();
    }
    grid.time += each;
    return ResultOf<Branches>::get(tree.node());
  }
  void walk(const Lazy<Branches>& tree) {
    for (const auto& branch : look(tree).all) walk(branch);
  }
  std::uint64_t fetched() { return grid.count(0, Count::fetch_received); }
};

TEST_F(WalkingThunks, SmallOnesAreFetchedManyAtATime) {
  for (const std::size_t fan_out : {2U, 3U, 8U, 20U}) {
    const auto levels = fan_out == 2 ? 13 : fan_out == 3 ? 8 : fan_out == 8 ? 5 : 4;
    thunks_made = seen = 0;
    each = 100;
    const auto before = fetched();
    const auto tree = unevaluated(levels, fan_out);
    walk(fished(tree));
    EXPECT_EQ(seen, thunks_made);
    EXPECT_LE(fetched() - before, static_cast<std::uint64_t>(thunks_made) / 40) << fan_out;
    grid.send_frees();
    grid.settle();
    EXPECT_EQ(grid.weights_out(), grid.weights_held());
  }
}

TEST_F(WalkingThunks, LongOnesStayUntilTheyAreNeeded) {
  each = 5'000'000;
  const auto tree = unevaluated(2, 1000);
  const auto there = fished(tree);
  long all = 0;
  for (const auto& branch : look(there).all) {
    look(branch);
    if (++all == 150) break;
  }
  EXPECT_LE(fetched(), 60U);
  EXPECT_GE(fetched(), 40U);
  long here = 0;
  const auto& branches = ResultOf<Branches>::get(there.node()).all;
  for (const auto& branch : branches) here += branch.node()->state() == State::unevaluated ? 1 : 0;
  EXPECT_EQ(here, 0) << "of those that came, each has been needed";
}

TEST_F(WalkingThunks, OfThoseThatAreWaitedForTogetherNothingIsInferred) {
  each = 5'000'000;
  const auto there = fished(unevaluated(2, 1000));
  const auto& branches = look(there).all;
  std::vector<Lazy<Branches>> missing;
  for (const auto& branch : branches)
    if (branch.node()->state() == State::fetch_me) missing.push_back(branch);
  for (std::size_t i = 0; i < 4; ++i) grid.demand(1, missing[i].node());
  for (std::size_t i = 0; i < 4; ++i) grid.deliver(0);  // the FETCHes, in their order
  grid.settle();
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(missing[i].node()->state(), State::value);
  for (std::size_t i = 4; i < missing.size(); ++i)
    EXPECT_EQ(missing[i].node()->state(), State::fetch_me) << i;
}

TEST_F(WalkingThunks, WhatNeedsMuchDataStays) {
  Branches tree;
  for (long i = 0; i < 400; ++i) {
    const std::vector<long> data(i % 2 == 0 ? 1 : 10'000, i);
    tree.all.push_back(trawl::lazy(
        [](const std::vector<long>& some) {
          return Branches{some.back(), {}};
        },
        data));
  }
  const auto there =
      fished(trawl::lazy([](const Branches& itself) { return itself; }, std::move(tree)));
  each = 100;
  long value = 0;
  for (const auto& branch : look(there).all) EXPECT_EQ(look(branch).value, value++);
  EXPECT_GE(grid.count(0, Count::sparks_created), 100U) << "evaluated where their data are";
}

TEST_F(WalkingThunks, WhatFollowsAsAReferenceIsNotThereYet) {
  const Lazy<Branches> leaf(Branches{1, {}});
  const auto value_of = [&](std::size_t bytes) {  // four for each reference
    return Lazy<Branches>(Branches{2, std::vector<Lazy<Branches>>(bytes / 4, leaf)});
  };
  Branches tree;
  for (int i = 0; i < 20; ++i) tree.all.push_back(value_of(4000));  // the packet is full
  const auto first_thunk = tree.all.size();
  for (int i = 0; i < 8; ++i) tree.all.push_back(unevaluated(1, 0));
  const auto large = value_of(8000);  // more than goes with a thunk
  tree.all.push_back(large);
  tree.all.push_back(unevaluated(1, 0));
  const auto there =
      fished(trawl::lazy([](const Branches& itself) { return itself; }, std::move(tree)));
  const auto& branches = look(there).all;
  for (std::size_t i = first_thunk; i < first_thunk + 4; ++i) look(branches[i]);
  EXPECT_EQ(branches.back().node()->state(), State::unevaluated) << "it came behind the value";
  EXPECT_EQ(branches[branches.size() - 2].node()->state(), State::fetch_me);
  EXPECT_FALSE(grid[0].addresses().has_copy(large.node(), 1));
}

TEST(MovedThunks, AreRefusedTwice) {
  CodeTable::get();
  GlobalAddressTable home(0, 2, 1U << 16U);
  GlobalAddressTable away(1, 2, 1U << 16U);
  away.expect_deaths();
  const auto one = unevaluated(1, 0);
  const auto other = unevaluated(1, 0);
  const auto root =
      trawl::lazy([](const Branches& itself) { return itself; }, Branches{0, {one, other}});
  root.node()->move(State::unevaluated, State::exported);
  Writer out;
  pack_graph(out, root.node(), home, {}, {1});
  const Reference names[] = {home.lend(one.node()), home.lend(other.node())};
  Bytes bytes = out.take();
  // PE 1 has made this one: it has gone to PE 0, and is called `one` there.
  const auto gone = unevaluated(1, 0);
  gone.node()->move(State::unevaluated, State::exported);
  away.adopt(gone.node(), {names[0].at, 1});
  const auto at =
      std::search(bytes.begin(), bytes.end(), reinterpret_cast<const std::byte*>(&names[1]),
                  reinterpret_cast<const std::byte*>(&names[1] + 1));
  ASSERT_NE(at, bytes.end());
  std::memcpy(&*at, names, sizeof *names);
  Reader in(bytes);
  EXPECT_THROW(unpack_graph(in, 0, away, {}, nullptr), BadBytes);
}

}  // namespace
}  // namespace trawl::heap
