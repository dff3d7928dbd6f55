// Who goes through a list or a tree of another PE: how often he asks, and what comes that he never
// looks at.
#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "rts/heap/along.hpp"
#include "rts/heap/walks.hpp"
#include "tests/unit/heap_grid.hpp"

namespace trawl::heap {
namespace {

using test::HeapGrid;

struct Tree {
  long value = 0;
  Lazy<Tree> left;
  Lazy<Tree> right;
};

constexpr std::size_t packet = 1000;    // some sixty nodes
constexpr std::size_t node_bytes = 16;  // of one in a packet

Lazy<Tree> grow(int levels, long value = 1) {
  if (levels == 0) return {};
  return Lazy<Tree>(Tree{value, grow(levels - 1, 2 * value), grow(levels - 1, 2 * value + 1)});
}

Lazy<Tree> list_of(long cells) {
  Lazy<Tree> list;
  for (long i = cells; i > 0; --i) list = Lazy<Tree>(Tree{i, list, {}});
  return list;
}

long value_of(const Tree& tree) {
  return tree.value;
}

/// PE 1 looks at what PE 0 has.
class Walking : public ::testing::Test {
 protected:
  HeapGrid grid{2, 1U << 16U, {packet, 0}, 1};
  long seen = 0;

  Lazy<Tree> there(const Lazy<Tree>& here) {
    return test::carry(here, grid[0].addresses(), grid[1].addresses(), {0, 0});
  }
  const Tree& look(const Lazy<Tree>& tree) {
    ++seen;
    if (tree.node()->state() != State::value) {
      grid.demand(1, tree.node());
      grid.settle();
    }
    EXPECT_EQ(tree.node()->state(), State::value);
    return ResultOf<Tree>::get(tree.node());
  }
  long sum(const Lazy<Tree>& tree) {
    if (!tree) return 0;
    const Tree& node = look(tree);
    return node.value + sum(node.left) + sum(node.right);
  }
  std::uint64_t fetched() { return grid.count(0, Count::fetch_received); }
  std::uint64_t bytes() { return grid.count(0, Count::packet_bytes); }

  void expect_weights_to_agree() {
    grid.send_frees();
    grid.settle();
    EXPECT_EQ(grid.weights_out(), grid.weights_held());
  }
};

TEST_F(Walking, ATreeIsFetchedInTheOrderOfTheWalk) {
  constexpr int depth = 14;
  constexpr long nodes = (1L << depth) - 1;
  EXPECT_EQ(sum(there(grow(depth))), nodes * (nodes + 1) / 2);
  EXPECT_EQ(seen, nodes);
  const auto least = nodes * node_bytes / (4 * packet);  // packets are at most four times as long
  EXPECT_LE(fetched(), 2 * least);
  EXPECT_LE(bytes(), 2 * nodes * node_bytes);
  expect_weights_to_agree();
}

TEST_F(Walking, PacketsOfAListGrowWhileItIsWalked) {
  auto at = there(list_of(2000));
  for (long i = 1; at; ++i) {
    const Tree& cell = look(at);
    ASSERT_EQ(cell.value, i);
    at = cell.left;
  }
  EXPECT_EQ(seen, 2000);
  const auto least = 2000 * node_bytes / (4 * packet);
  EXPECT_GE(fetched(), least);
  EXPECT_LE(fetched(), least + 4);
  expect_weights_to_agree();
}

TEST_F(Walking, WhoStopsHasGotLittleInVain) {
  for (const long wanted : {1L, 50L, 100L, 200L, 500L}) {
    const auto before = bytes();
    auto at = there(list_of(10'000));
    for (long i = 0; i < wanted; ++i) at = look(at).left;
    const auto looked_at = static_cast<std::size_t>(wanted) * node_bytes;
    EXPECT_LE(bytes() - before, 3 * packet + 4 * looked_at) << wanted;
  }
}

TEST_F(Walking, WhoLooksHereAndThereGetsOnePacketEachTime) {
  const auto tree = there(grow(16));
  std::mt19937_64 random(1);
  constexpr std::uint64_t paths = 100;
  std::uint64_t most = 0;
  for (std::uint64_t i = 0; i < paths; ++i) {
    const auto before = fetched();
    for (auto at = tree; at;) {
      const Tree& node = look(at);
      at = random() % 2 == 0 ? node.left : node.right;
    }
    most = std::max(most, fetched() - before);
  }
  EXPECT_LE(most, 5U) << "sixteen levels, five or six in a packet";
  const auto references = packet / node_bytes * sizeof(Reference);
  EXPECT_LE(bytes(), fetched() * (2 * packet + 2 * references));
}

// ---- depth first -------------------------------------------------------------------------------

class DepthFirstOnly final : public Following {
 public:
  Node* next(std::size_t, bool) override { return nullptr; }
  void left(std::uint64_t slot) override { rest.push_back(slot); }
  bool depth_first() const override { return true; }
  std::vector<std::uint64_t> rest;
};

class PackedDepthFirst : public ::testing::Test {
 protected:
  PackedDepthFirst() { CodeTable::get(); }

  GlobalAddressTable home{0, 2, 1U << 16U};
  GlobalAddressTable away{1, 2, 1U << 16U};
  DepthFirstOnly following;

  Lazy<Tree> carry(const Lazy<Tree>& tree, std::size_t bytes) {
    Writer out;
    pack_graph(out, tree.node(), home, {bytes, 0}, {1}, &following);
    Reader in(out.view());
    return Lazy<Tree>::refer_to(unpack_graph(in, 0, away, {}, nullptr).root);
  }
};

void visit(const Lazy<Tree>& tree, const std::function<bool(const Lazy<Tree>&)>& each) {
  if (!tree || !each(tree)) return;
  visit(ResultOf<Tree>::get(tree.node()).left, each);
  visit(ResultOf<Tree>::get(tree.node()).right, each);
}

TEST_F(PackedDepthFirst, WhatComesFirstIsThereAndTheRestComesNext) {
  constexpr int depth = 10;
  for (const std::size_t bytes : {0U, 16U, 100U, 777U, 5000U, 100'000U}) {
    following.rest.clear();
    const auto tree = grow(depth);
    std::vector<long> order;
    visit(tree, [&](const Lazy<Tree>& each) {
      order.push_back(value_of(ResultOf<Tree>::get(each.node())));
      return true;
    });
    std::vector<long> arrived;
    std::vector<std::uint64_t> missing;
    visit(carry(tree, bytes), [&](const Lazy<Tree>& each) {
      if (each.node()->state() != State::value) {
        missing.push_back(away.target(each.node()).value().at.slot);
        return false;
      }
      EXPECT_TRUE(missing.empty()) << "nothing comes behind what is missing";
      arrived.push_back(value_of(ResultOf<Tree>::get(each.node())));
      return true;
    });
    EXPECT_GE(arrived.size(), std::min<std::size_t>(order.size(), bytes / node_bytes));
    order.resize(arrived.size());
    EXPECT_EQ(arrived, order);
    EXPECT_EQ(missing, following.rest);
    EXPECT_LE(missing.size(), std::size_t{depth});
  }
}

/// Two values refer to each other and to themselves, many refer to one.
TEST_F(PackedDepthFirst, SharingAndCyclesSurvive) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<Lazy<Tree>> nodes;
    for (long i = 0; i < 30; ++i) nodes.emplace_back(Tree{i, {}, {}});
    for (const auto& each : nodes) {
      auto& tree = ResultOf<Tree>::held(each.node()).value;
      if (random() % 8 != 0) tree.left = nodes[random() % nodes.size()];
      if (random() % 8 != 0) tree.right = nodes[random() % nodes.size()];
    }
    const auto there = carry(nodes[0], 30 * random() % 600);
    std::map<long, Node*> known;
    std::function<void(const Lazy<Tree>&, const Lazy<Tree>&)> compare = [&](const auto& a,
                                                                            const auto& b) {
      ASSERT_EQ(static_cast<bool>(a), static_cast<bool>(b));
      if (!a) return;
      const Tree& here = ResultOf<Tree>::get(a.node());
      const auto [at, fresh] = known.emplace(here.value, b.node());
      EXPECT_EQ(at->second, b.node()) << "one node for each";
      if (!fresh || b.node()->state() != State::value) return;
      const Tree& copy = ResultOf<Tree>::get(b.node());
      EXPECT_EQ(copy.value, here.value);
      compare(here.left, copy.left);
      compare(here.right, copy.right);
    };
    compare(nodes[0], there);
  }
}

/// Its second part does not fit where its first does.
struct Wide {
  std::vector<Lazy<Tree>> first;
  std::vector<long> second;
};

TEST_F(PackedDepthFirst, AValueTakenBackTakesItsReferencesBack) {
  const Lazy<Tree> shared(Tree{5, {}, {}});
  const Lazy<Wide> wide(Wide{{shared, grow(3), shared}, std::vector<long>(100, 7)});
  const Lazy<std::pair<Lazy<Wide>, Lazy<Tree>>> root({wide, shared});
  Writer out;
  pack_graph(out, root.node(), home, {200, 0}, {1}, &following);
  Reader in(out.view());
  Node* copy = unpack_graph(in, 0, away, {}, nullptr).root;
  const auto& [far, near] = ResultOf<std::pair<Lazy<Wide>, Lazy<Tree>>>::get(copy);
  EXPECT_EQ(far.node()->state(), State::fetch_me);
  ASSERT_EQ(near.node()->state(), State::value);
  EXPECT_EQ(ResultOf<Tree>::get(near.node()).value, 5);
  EXPECT_EQ(home.slots(), 1U) << "what the wide one refers to was not come upon";
}

// ---- rows
// ----------------------------------------------------------------------------------------

TEST(Asked, ATableIsGoneThroughColumnByColumn) {
  constexpr std::uint64_t rows = 600;
  constexpr std::uint64_t columns = 600;
  Asked asked;
  std::uint64_t alone = 0;
  for (std::uint64_t column = 0; column < columns; ++column)
    for (std::uint64_t row = 0; row < rows; ++row)
      if (!asked.again(1, 1 + row * columns + column)) ++alone;
  EXPECT_LT(alone, rows * columns / 10) << "one in 32 is the first of its block";
}

// ---- walks -------------------------------------------------------------------------------------

TEST(Walks, EndWhereOneGoesOnElsewhere) {
  Walks walks;
  walks.left(nullptr, 1, Walk::Slots{1, 2, 3, 4});
  EXPECT_EQ(walks.find(2, 1), nullptr) << "another PE's";
  Walk* walk = walks.find(1, 1);
  ASSERT_NE(walk, nullptr);
  EXPECT_EQ(walk->packets(), 2U);
  EXPECT_TRUE(walk->depth_first());
  walks.left(walk, 1, Walk::Slots{5, 6});
  EXPECT_EQ(walks.find(1, 5), walk);
  EXPECT_EQ(walks.find(1, 6), walk);
  EXPECT_EQ(walks.find(1, 2), walk);
  EXPECT_EQ(walk->packets(), 4U);
  EXPECT_EQ(walks.find(1, 4), walk);
  EXPECT_EQ(walk->packets(), 1U);
  EXPECT_FALSE(walk->depth_first());
  EXPECT_EQ(walks.find(1, 3), walk);
  EXPECT_EQ(walks.find(1, 3), nullptr);
}

TEST(Walks, WhoAsksHereAndThereLeavesABoundedRest) {
  Walks walks;
  Walk::Slots slots(100'000);
  std::iota(slots.begin(), slots.end(), std::uint64_t{1});
  walks.left(nullptr, 1, slots);
  std::shuffle(slots.begin(), slots.end(), std::mt19937_64(1));
  std::size_t most = 0;
  for (const auto slot : slots)
    if (const Walk* walk = walks.find(1, slot)) most = std::max(most, walk->rest.size());
  EXPECT_GE(most, 100U);
  EXPECT_LE(most, 512U);
}

TEST(Walks, ANewOneBeginsAnew) {
  Walks walks;
  for (std::uint64_t slot = 1; slot <= 16; ++slot) {
    Walk* walk = walks.left(nullptr, 1, Walk::Slots{slot});
    walk->moved = 1000;
    walk->in_order = 5;
  }
  const Walk* walk = walks.left(nullptr, 2, Walk::Slots{17});
  EXPECT_EQ(walk->moved, 1U);
  EXPECT_EQ(walk->in_order, 0U);
  EXPECT_EQ(walk->pe, 2U);
}

TEST(Walks, TheOldestIsForgotten) {
  Walks walks;
  walks.left(nullptr, 1, Walk::Slots{1});
  for (std::uint64_t slot = 2; slot < 100; ++slot) walks.left(nullptr, 1, Walk::Slots{slot});
  EXPECT_EQ(walks.find(1, 1), nullptr);
  EXPECT_NE(walks.find(1, 99), nullptr);
}

}  // namespace
}  // namespace trawl::heap
