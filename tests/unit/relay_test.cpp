// A large value that several PEs of another cluster need crosses the link to it once.
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/lazy.hpp>

#include "rts/heap/relays.hpp"
#include "rts/inline/thunk.hpp"
#include "tests/unit/heap_grid.hpp"

namespace trawl::relaying {
namespace {

using heap::State;
using test::HeapGrid;
using Numbers = std::vector<double>;

struct Holder {
  Lazy<Numbers> numbers;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(numbers);
  }
};

constexpr heap::Weight weight = 1 << 20;
constexpr std::size_t larger_than_a_packet = 20'000;

/// PE 0 has a value of many numbers. In clusters of their own are 0, 1 to 3, and the others.
class Relay : public testing::Test {
 protected:
  explicit Relay(std::uint64_t seed = 1, bool recovers = false)
      : grid_(weight, {}, seed, std::vector(6, fabric::Memory()), recovers) {
    grid_.clusters = {0, 1, 1, 1, 2, 2};
  }

  /// A new proxy for it there.
  heap::Node* refer(int pe) {
    const auto there = test::carry(holder_, grid_[0].addresses(), grid_[pe].addresses());
    kept_.push_back(heap::ResultOf<Holder>::get(there.node()).numbers);
    return kept_.back().node();
  }
  /// A second one, beside what is there: as thunks make that have gone different ways.
  heap::Node* refer_beside(int pe) {
    const Lazy<Holder> other(Holder{Lazy<Numbers>(Numbers(larger_than_a_packet, 8))});
    const auto there = test::carry(other, grid_[0].addresses(), grid_[pe].addresses());
    kept_.push_back(heap::ResultOf<Holder>::get(there.node()).numbers);
    heap::Node* const node = kept_.back().node();
    grid_[pe].addresses().forget(node);
    grid_[pe].addresses().adopt(node, grid_[0].addresses().lend(numbers_.node()));
    return node;
  }
  heap::Node* need(int pe) {
    heap::Node* const node = refer(pe);
    grid_.demand(pe, node);
    return node;
  }
  static void expect_right(heap::Node* node) {
    ASSERT_EQ(node->state(), State::value);
    EXPECT_EQ(heap::ResultOf<Numbers>::get(node), Numbers(larger_than_a_packet, 7));
  }
  std::uint64_t sent_by(int pe) { return grid_.count(pe, Count::resume_sent); }

  HeapGrid grid_;
  Lazy<Numbers> numbers_{Numbers(larger_than_a_packet, 7)};
  Lazy<Holder> holder_{Holder{numbers_}};
  std::vector<Lazy<Numbers>> kept_;
};

TEST_F(Relay, ItGoesToEachClusterOnce) {
  std::vector<heap::Node*> nodes;
  for (const int pe : {1, 2, 3, 4, 5}) nodes.push_back(need(pe));
  grid_.settle();
  for (auto* node : nodes) expect_right(node);
  EXPECT_EQ(sent_by(0), 2U);
  EXPECT_EQ(sent_by(1) + sent_by(2) + sent_by(3), 2U);
  EXPECT_EQ(sent_by(4) + sent_by(5), 1U);
  EXPECT_EQ(grid_[0].cases().relayed, 3U);
  EXPECT_EQ(grid_.asleep(), 0);
  EXPECT_EQ(grid_.blocking_queues(), 0U);
}

TEST_F(Relay, WhoHasItNoMoreSendsTheFetchBack) {
  heap::Node* const first = need(1);
  grid_.settle();
  grid_[1].addresses().forget(first);
  need(2);
  grid_.settle();
  expect_right(kept_.back().node());
  EXPECT_EQ(grid_[1].cases().not_there, 1U);
  EXPECT_EQ(sent_by(0), 2U);
  need(3);
  grid_.settle();
  expect_right(kept_.back().node());
  EXPECT_EQ(sent_by(0), 2U) << "2 passes it on now";
  EXPECT_EQ(sent_by(2), 1U);
}

TEST_F(Relay, NotInsideACluster) {
  grid_.clusters = {};
  for (const int pe : {1, 2, 3}) need(pe);
  grid_.settle();
  EXPECT_EQ(sent_by(0), 3U);
}

// Two that have lost their copies are to pass it on to each other, and both need it themselves.
TEST_F(Relay, NobodyWaitsForWhoWaitsForHim) {
  const auto newest = [this] { grid_.deliver(grid_.under_way().size() - 1); };
  const auto served = [&](int pe) {
    heap::Node* const node = refer_beside(pe);
    grid_.demand(pe, node);
    while (!node->finished()) newest();
    return node;
  };
  grid_[1].addresses().forget(served(1));
  heap::Node* const first = need(2);
  newest();  // its FETCH: 1 is to pass it on, and hears of that last
  ASSERT_EQ(grid_[0].cases().relayed, 1U);
  grid_[3].addresses().forget(served(3));
  grid_[2].addresses().forget(served(2));
  heap::Node* const second = need(1);
  newest();  // now 2 is to
  ASSERT_EQ(grid_[0].cases().relayed, 4U);
  ASSERT_EQ(first->state(), State::fetching);
  grid_.settle();
  expect_right(first);
  expect_right(second);
}

class DyingRelay : public Relay {
 protected:
  DyingRelay() : Relay(1, true) {}

  void die(int pe) {
    for (int other = 0; other < grid_.size(); ++other)
      if (other != pe) grid_[other].dead(static_cast<std::uint32_t>(pe));
  }
};

// All that PE 1 was sent is lost with it.
TEST_F(DyingRelay, WhoWasToPassItOnDies) {
  need(1);
  grid_.deliver(0);  // its FETCH
  heap::Node* const second = need(2);
  grid_.deliver(grid_.under_way().size() - 1);
  ASSERT_EQ(grid_[0].cases().relayed, 1U);
  grid_.lose(1);
  die(1);
  grid_.settle();
  expect_right(second);
}

// Who waits for it asks elsewhere by himself: here there is nobody, and the value is lost.
TEST_F(DyingRelay, ItsHomeDies) {
  heap::Node* const first = need(1);
  grid_.deliver(0);
  heap::Node* const second = need(2);
  grid_.deliver(grid_.under_way().size() - 1);  // the FETCH
  grid_.deliver(grid_.under_way().size() - 1);  // the RELAY, before the value
  ASSERT_EQ(grid_[0].cases().relayed, 1U);
  grid_.lose(0);
  die(0);
  grid_.settle();
  EXPECT_EQ(first->state(), State::exception);
  EXPECT_EQ(second->state(), State::exception);
  EXPECT_EQ(grid_.blocking_queues(), 0U);
}

// Who waits for it has it from somebody else, who can be asked; the one who was to pass it on has
// lost it, and says nothing.
TEST_F(DyingRelay, ItsHomeDiesAndAnotherHasIt) {
  need(4);
  grid_.settle();
  const auto there =
      test::carry(Lazy<Holder>(Holder{kept_.back()}), grid_[4].addresses(), grid_[2].addresses());
  need(1);
  grid_.deliver(0);
  heap::Node* const second = heap::ResultOf<Holder>::get(there.node()).numbers.node();
  grid_.demand(2, second);
  grid_.deliver(grid_.under_way().size() - 1);
  grid_.deliver(grid_.under_way().size() - 1);
  ASSERT_EQ(grid_[0].cases().relayed, 1U);
  grid_.lose(0);
  die(0);
  for (const auto& letter : grid_.under_way()) EXPECT_NE(letter.from, 1);
  grid_.settle();
  expect_right(second);
}

/// Its packet is full before the value to which it refers.
struct Laden {
  Numbers beside;
  Lazy<Numbers> numbers;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(beside, numbers);
  }
};

constexpr heap::PackLimits small_packets{.bytes = 4'000};
constexpr std::size_t does_not_fill_one = 550;  // 4.4 KB

/// Refers to a value that does not fill a packet.
Lazy<Laden> laden() {
  return Lazy<Laden>(
      Laden{Numbers(2 * does_not_fill_one, 1), Lazy<Numbers>(Numbers(does_not_fill_one, 7))});
}

Lazy<Numbers> needed(HeapGrid& grid, const Lazy<Laden>& holder, int pe) {
  const auto there = test::carry(holder, grid[0].addresses(), grid[pe].addresses(), small_packets);
  auto numbers = heap::ResultOf<Laden>::get(there.node()).numbers;
  EXPECT_FALSE(numbers.evaluated());
  grid.demand(pe, numbers.node());
  return numbers;
}

/// The first of its cluster that needs it, and two more.
std::uint64_t relayed_of_three(std::int64_t bytes_a_second) {
  HeapGrid grid(weight, small_packets, 1, std::vector(4, fabric::Memory()), false);
  grid.clusters = {0, 1, 1, 1};
  grid.links = {{0, bytes_a_second}, {bytes_a_second, 0}};
  const auto holder = laden();
  std::vector<Lazy<Numbers>> kept;
  for (int pe = 1; pe < 4; ++pe) kept.push_back(needed(grid, holder, pe));
  grid.settle();
  for (const auto& each : kept) EXPECT_TRUE(each.evaluated());
  return grid[0].cases().relayed;
}

TEST(Relays, OverAThinLinkASmallOneGoesOnceToo) {
  EXPECT_EQ(relayed_of_three(0), 0U) << "with it comes what is asked for next";
  EXPECT_EQ(relayed_of_three(1'000), 2U);
}

// From 0 to cluster 2 there is a link of 1 KB/s, and by way of cluster 1 there are good ones.
TEST(Relays, RoundAThinLink) {
  HeapGrid grid(weight, small_packets, 1, std::vector(4, fabric::Memory()), false);
  grid.clusters = {0, 1, 2, 2};
  grid.links = {{0, 100'000, 1'000}, {100'000, 0, 100'000}, {1'000, 100'000, 0}};
  const auto holder = laden();
  const auto need = [&](int pe) {
    const auto numbers = needed(grid, holder, pe);
    grid.settle();
    EXPECT_TRUE(numbers.evaluated());
    return grid.count(1, Count::resume_sent);
  };
  EXPECT_EQ(need(1), 0U);
  EXPECT_EQ(need(2), 1U) << "who has it in cluster 1 passes it on";
  EXPECT_EQ(need(3), 1U) << "... and then, who has it in cluster 2";
  EXPECT_EQ(grid.count(2, Count::resume_sent), 1U);
  EXPECT_EQ(grid.count(0, Count::resume_sent), 1U);
}

/// Five clusters of one PE, whose links among each other are all better than those from PE 0.
class RoundABadHome : public testing::Test {
 protected:
  RoundABadHome() : grid_(weight, {}, 1, std::vector(5, fabric::Memory()), false) {
    grid_.clusters = {0, 1, 2, 3, 4};
    grid_.links.assign(5, std::vector<std::int64_t>(5, 10'000));
    for (std::size_t i = 0; i < 5; ++i) grid_.links[0][i] = grid_.links[i][0] = 800;
    // Who has got it first passes it on, while he is known.
    for (std::size_t i = 2; i < 5; ++i) grid_.links[1][i] = grid_.links[i][1] = 90'000;
    grid_.links[1][3] = grid_.links[3][1] = 20'000;
  }

  /// All that was sent should have come by then.
  void later() { grid_.time += Nanos{1'000'000'000'000}; }
  heap::Node* need(int pe) {
    later();
    const auto there = test::carry(holder_, grid_[0].addresses(), grid_[pe].addresses());
    kept_.push_back(heap::ResultOf<Holder>::get(there.node()).numbers);
    grid_.demand(pe, kept_.back().node());
    return kept_.back().node();
  }
  /// The next message of a pair, if there is one: those stay in order.
  void next(int from, int to) {
    const auto& all = grid_.under_way();
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].from == from && all[i].to == to) return grid_.deliver(i);
  }

  HeapGrid grid_;
  const Lazy<Holder> holder_{Holder{Lazy<Numbers>(Numbers(larger_than_a_packet, 7))}};
  std::vector<Lazy<Numbers>> kept_;
};

// PE 1 asks again, is to get it from PE 2, and is to pass it on to PE 4. A RELAY for its old copy
// comes back, so it is forgotten; PE 2 has lost its copy, and sends PE 1's FETCH back: it is not to
// come from PE 4, who waits for PE 1.
TEST_F(RoundABadHome, WhatComesBackIsNotPassedOn) {
  heap::Node* const old = need(1);
  next(1, 0);
  next(0, 1);
  heap::Node* const of_2 = need(2);
  next(2, 0);
  need(3);
  next(3, 0);
  EXPECT_EQ(grid_[0].cases().relayed, 2U);
  grid_[1].addresses().forget(old);
  next(0, 1);
  need(1);
  next(1, 0);
  later();
  next(1, 0);
  need(4);
  next(4, 0);
  EXPECT_EQ(grid_[0].cases().relayed, 4U);
  next(0, 1);
  next(1, 0);
  next(0, 1);
  next(0, 2);
  grid_[2].addresses().forget(of_2);
  next(0, 2);
  next(2, 0);
  grid_.settle();
  EXPECT_EQ(grid_.asleep(), 0);
  EXPECT_EQ(grid_.blocking_queues(), 0U);
}

// Whatever is asked for twice, has been forgotten, and arrives in whichever order: nobody waits
// for who waits for him.
TEST(Relays, NobodyWaitsForEver) {
  std::uint64_t relayed = 0, not_there = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    HeapGrid grid(weight, {}, seed, std::vector(4, fabric::Memory()), false);
    grid.clusters = {0, 1, 1, seed % 2 == 0 ? 1U : 2U};
    if (seed % 4 == 1) grid.links = {{0, 90'000, 800}, {90'000, 0, 90'000}, {800, 90'000, 0}};
    if (seed % 4 == 3) grid.links = {{0, 800, 90'000}, {800, 0, 90'000}, {90'000, 90'000, 0}};
    const Lazy<Numbers> numbers{Numbers(larger_than_a_packet, 7)};
    const Lazy<Holder> holder{Holder{numbers}};
    std::vector<std::pair<int, Lazy<Numbers>>> kept;
    for (int turn = 0; turn < 40; ++turn) {
      const int pe = 1 + grid.random(std::size_t{3});
      if (const int what = grid.random(std::size_t{4}); what == 0) {
        const auto there = test::carry(holder, grid[0].addresses(), grid[pe].addresses());
        kept.emplace_back(pe, heap::ResultOf<Holder>::get(there.node()).numbers);
        grid.demand(pe, kept.back().second.node());
      } else if (what == 1 && !kept.empty()) {
        const auto& [whose, which] = kept[static_cast<std::size_t>(grid.random(kept.size()))];
        if (which.evaluated()) grid[whose].addresses().forget(which.node());
      } else {
        grid.deliver();
      }
    }
    grid.settle();
    EXPECT_EQ(grid.asleep(), 0);
    EXPECT_EQ(grid.blocking_queues(), 0U);
    for (const auto& [pe, each] : kept) EXPECT_TRUE(each.evaluated());
    relayed += grid[0].cases().relayed;
    for (int pe = 1; pe < 4; ++pe) not_there += grid[pe].cases().not_there;
  }
  EXPECT_GT(relayed, 100U);
  EXPECT_GT(not_there, 10U);
}

TEST(Relays, WhatNobodyKnowsAnyMoreIsForgotten) {
  std::set<std::uint64_t> living;
  heap::Relays relays([&living](std::uint64_t slot) { return living.contains(slot); });
  EXPECT_TRUE(relays.empty());
  for (std::uint64_t slot = 1; slot <= 1000; ++slot) {
    living = {slot};
    relays.note(slot, 3, {5, 6});
  }
  ASSERT_NE(relays.holder(1000, 3), nullptr);
  EXPECT_EQ(*relays.holder(1000, 3), (heap::Holder{5, 6}));
  EXPECT_EQ(relays.holder(1000, 4), nullptr);
  EXPECT_EQ(relays.holder(1, 3), nullptr);
  relays.note(1000, 3, {7, 8});
  EXPECT_EQ(*relays.holder(1000, 3), (heap::Holder{7, 8}));
  relays.forget(1000, 5);
  EXPECT_NE(relays.holder(1000, 3), nullptr) << "of another";
  relays.forget(1000, 7);
  EXPECT_EQ(relays.holder(1000, 3), nullptr);
}

}  // namespace
}  // namespace trawl::relaying
