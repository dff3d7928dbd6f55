// GA tables: weights are conserved after every operation, whatever the full weight.
#include "rts/heap/address.hpp"

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
  AddressBook home(0, 2, full);
  AddressBook away(1, 2, full);
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
  AddressBook books[pes] = {{0, pes, GetParam()}, {1, pes, GetParam()}, {2, pes, GetParam()}};
  std::vector<Node*> nodes[pes];
  std::vector<Reference> bag;
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (int step = 0; step < 3000; ++step) {
    const auto pe = below(pes);
    auto& book = books[pe];
    switch (below(5)) {
      case 0:
        nodes[pe].push_back(a_node(step));
        break;
      case 1:
        if (!nodes[pe].empty()) bag.push_back(book.share(nodes[pe][below(nodes[pe].size())]));
        break;
      case 2:
      case 3: {
        if (bag.empty()) break;
        const auto which = below(bag.size());
        const auto reference = bag[which];
        bag.erase(bag.begin() + static_cast<std::ptrdiff_t>(which));
        if (reference.at.pe == pe) {
          book.give_back(reference.at.slot, reference.weight);
        } else if (Node* known = book.proxy(reference.at); known != nullptr && below(2) == 0) {
          book.adopt(known, reference);
        } else {
          nodes[pe].push_back(a_node(step));
          book.adopt(nodes[pe].back(), reference);
        }
        break;
      }
      default:
        if (!nodes[pe].empty()) book.forget(nodes[pe][below(nodes[pe].size())]);
        if (below(3) == 0) {
          const auto frees = book.take_frees();
          for (const auto& [to, list] : frees)
            for (const auto& [slot, weight] : list) books[to].give_back(slot, weight);
        }
    }
    std::map<std::pair<std::uint32_t, std::uint64_t>, Weight> out;
    std::map<std::pair<std::uint32_t, std::uint64_t>, Weight> held;
    for (const auto& each : books) {
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
  AddressBook book(1, 2, 16);
  const Address at{0, 0, 7};
  Node* first = a_node(1);
  Node* second = a_node(2);
  book.adopt(first, {at, 3});
  book.adopt(second, {at, 5});
  EXPECT_EQ(book.proxy(at), first);
  EXPECT_EQ(book.proxy(at, book.target(second)->ticket), second);
  EXPECT_EQ(book.proxy(at, 12345), first);
  book.forget(first);
  EXPECT_EQ(book.proxy(at), second);
  EXPECT_FALSE(book.target(first));
  book.adopt(second, {at, 1});
  EXPECT_EQ((book.weights_held()[{0, 7}]), 9U) << "3 on their way home, 6 held";
  book.adopt(second, {{0, 0, 8}, 2});
  EXPECT_EQ(book.proxy(at), nullptr) << "it moved on";
  EXPECT_EQ(book.proxies(), 1U);
}

TEST(Address, NamesComeAndGo) {
  AddressBook book(0, 2, 4);
  Node* node = a_node(1);
  EXPECT_FALSE(book.name(node));
  const auto lent = book.lend(node);
  EXPECT_EQ(book.name(node), lent.at);
  book.adopt(node, {{1, 0, 9}, 1});
  EXPECT_EQ(book.name(node), lent.at) << "our own name comes first";
  book.give_back(lent.at.slot, 4);
  EXPECT_EQ(book.name(node), (Address{1, 0, 9}));
  book.forget(node);
  EXPECT_FALSE(book.name(node));
  EXPECT_NE(book.lend(node).at.slot, lent.at.slot) << "slots are never used twice";
}

TEST(Address, TooMuchWeightIsRefused) {
  AddressBook book(0, 2, 4);
  const auto lent = book.lend(a_node(1));
  EXPECT_THROW(book.give_back(lent.at.slot, 5), BadBytes);
  EXPECT_THROW(book.give_back(lent.at.slot + 1, 1), BadBytes);
  EXPECT_THROW(book.check(2), BadBytes);
  book.give_back(lent.at.slot, 4);
  EXPECT_THROW(book.give_back(lent.at.slot, 1), BadBytes);
}

}  // namespace
}  // namespace trawl::heap
