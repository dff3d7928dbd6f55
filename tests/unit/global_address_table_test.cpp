// GA tables: weights are conserved after every operation, whatever the full weight.
#include "rts/heap/global_address_table.hpp"

#include <random>

#include <gtest/gtest.h>

#include "tests/unit/heap_grid.hpp"

namespace trawl::heap {
namespace {

Node* a_node(long value) {
  return Lazy<long>(value).node();
}

class Addresses : public ::testing::TestWithParam<Weight> {};

TEST_P(Addresses, WeightRunsOutAndIndirectionTakesOver) {
  const Weight full = GetParam();
  GlobalAddressTable home(0, 2, full);
  GlobalAddressTable away(1, 2, full);
  Node* node = a_node(1);
  Node* proxy = a_node(2);
  const auto lent = home.lend(node);
  EXPECT_EQ(lent.weight, full);
  away.adopt(proxy, lent);
  std::vector<Reference> out;
  while (true) {
    out.push_back(away.share(proxy));
    ASSERT_GT(out.back().weight, 0U);
    if (out.back().at.pe == 1) break;
  }
  EXPECT_EQ(away.slots(), 1U) << "what is left is one weight: others are sent to the proxy";
  Weight sum = 0;
  for (const auto& reference : out) sum += reference.at.pe == 0 ? reference.weight : 0;
  EXPECT_EQ(sum, full - 1);
  EXPECT_EQ(away.share(proxy).at.pe, 1U);
  // All of it comes home in pieces.
  for (const auto& reference : out)
    if (reference.at.pe == 0) home.give_back(reference.at.slot, reference.weight);
  EXPECT_EQ(home.own(lent.at.slot), node);
  away.forget(proxy);
  const auto frees = away.take_frees();
  for (const auto& [slot, weight] : frees.at(0)) home.give_back(slot, weight);
  EXPECT_EQ(home.own(lent.at.slot), nullptr);
  EXPECT_EQ(home.slots(), 0U);
}

// Tokens in a bag are messages under way.
TEST_P(Addresses, WeightsAreConservedAfterEveryOperation) {
  constexpr std::uint32_t pes = 3;
  std::mt19937_64 random(GetParam());
  GlobalAddressTable tables[pes] = {
      {0, pes, GetParam()}, {1, pes, GetParam()}, {2, pes, GetParam()}};
  std::vector<Node*> nodes[pes];
  std::vector<Reference> bag;
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (int step = 0; step < 3000; ++step) {
    const auto pe = below(pes);
    auto& table = tables[pe];
    switch (below(5)) {
      case 0:
        nodes[pe].push_back(a_node(step));
        break;
      case 1:
        if (!nodes[pe].empty()) bag.push_back(table.share(nodes[pe][below(nodes[pe].size())]));
        break;
      case 2:
      case 3: {
        if (bag.empty()) break;
        const auto which = below(bag.size());
        const auto reference = bag[which];
        bag.erase(bag.begin() + static_cast<std::ptrdiff_t>(which));
        if (reference.at.pe == pe) {
          table.give_back(reference.at.slot, reference.weight);
        } else if (Node* known = table.proxy(reference.at); known != nullptr && below(2) == 0) {
          table.adopt(known, reference);
        } else {
          nodes[pe].push_back(a_node(step));
          table.adopt(nodes[pe].back(), reference);
        }
        break;
      }
      default:
        if (!nodes[pe].empty()) table.forget(nodes[pe][below(nodes[pe].size())]);
        if (below(3) == 0) {
          const auto frees = table.take_frees();
          for (const auto& [to, list] : frees)
            for (const auto& [slot, weight] : list) tables[to].give_back(slot, weight);
        }
    }
    std::map<std::pair<std::uint32_t, std::uint64_t>, Weight> out;
    std::map<std::pair<std::uint32_t, std::uint64_t>, Weight> held;
    for (const auto& each : tables) {
      for (const auto& [slot, weight] : each.weights_out()) out[{each.self(), slot}] = weight;
      for (const auto& [at, weight] : each.weights_held()) held[at] += weight;
    }
    for (const auto& reference : bag)
      held[{reference.at.pe, reference.at.slot}] += reference.weight;
    ASSERT_EQ(out, held) << "after step " << step;
  }
}

INSTANTIATE_TEST_SUITE_P(FullWeights, Addresses, ::testing::Values(1, 2, 4, Weight{1} << 16U));

TEST(Address, SeveralProxiesForOneAddress) {
  GlobalAddressTable table(1, 2, 16);
  const Address at{0, 0, 7};
  Node* first = a_node(1);
  Node* second = a_node(2);
  table.adopt(first, {at, 3});
  table.adopt(second, {at, 5});
  EXPECT_EQ(table.proxy(at), first);
  EXPECT_EQ(table.proxy(at, table.target(second)->ticket), second);
  EXPECT_EQ(table.proxy(at, 12345), first);
  table.forget(first);
  EXPECT_EQ(table.proxy(at), second);
  EXPECT_FALSE(table.target(first));
  table.adopt(second, {at, 1});
  EXPECT_EQ((table.weights_held()[{0, 7}]), 9U) << "3 on their way home, 6 held";
  table.adopt(second, {{0, 0, 8}, 2});
  EXPECT_EQ(table.proxy(at), nullptr) << "it moved on";
  EXPECT_EQ(table.proxies(), 1U);
}

TEST(Address, NamesComeAndGo) {
  GlobalAddressTable table(0, 2, 4);
  Node* node = a_node(1);
  EXPECT_FALSE(table.name(node));
  const auto lent = table.lend(node);
  EXPECT_EQ(table.name(node), lent.at);
  table.adopt(node, {{1, 0, 9}, 1});
  EXPECT_EQ(table.name(node), lent.at) << "our own name comes first";
  table.give_back(lent.at.slot, 4);
  EXPECT_EQ(table.name(node), (Address{1, 0, 9}));
  table.forget(node);
  EXPECT_FALSE(table.name(node));
  EXPECT_NE(table.lend(node).at.slot, lent.at.slot) << "slots are never used twice";
}

// It is known what it came from, so its name is kept while it is here.
TEST(Address, AThunkMayGoBackToWhereItCameFrom) {
  GlobalAddressTable table(0, 2, 4);
  const Address there{1, 0, 9};
  Node* thunk = a_node(1);
  Lineage lineage;
  table.adopt(thunk, {there, 1});
  table.make_witness(thunk).lineage = &lineage;
  table.forget(thunk);
  EXPECT_FALSE(table.target(thunk)) << "it has come";
  table.adopt(thunk, {there, 1});
  EXPECT_FALSE(table.target(thunk)) << "only a reference by its former name has";
  table.has_gone(thunk, {there, 1});
  ASSERT_TRUE(table.target(thunk));
  EXPECT_EQ(table.target(thunk)->at, there);
}

TEST(Address, TooMuchWeightIsRefused) {
  GlobalAddressTable table(0, 2, 4);
  const auto lent = table.lend(a_node(1));
  EXPECT_THROW(table.give_back(lent.at.slot, 5), BadBytes);
  EXPECT_THROW(table.give_back(lent.at.slot + 1, 1), BadBytes);
  EXPECT_THROW(table.check(2), BadBytes);
  table.give_back(lent.at.slot, 4);
  EXPECT_THROW(table.give_back(lent.at.slot, 1), BadBytes);
}

}  // namespace
}  // namespace trawl::heap
