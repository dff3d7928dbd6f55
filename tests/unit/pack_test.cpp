// Packets: what goes in comes out, with its sharing, within the limits.
#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "rts/heap/packet.hpp"
#include "tests/unit/heap_grid.hpp"

namespace trawl::heap {
namespace {

using test::carry;

struct Cell {
  long value = 0;
  Lazy<Cell> left;
  Lazy<Cell> right;
};

Cell make_cell(long value, Lazy<Cell> left, Lazy<Cell> right) {
  return {value, left, right};
}

/// Counts what is written of it.
struct Counted {
  static inline int written = 0;
  std::vector<std::vector<double>> rows;

  template <class Archive>
  void save(Archive& to) const {
    to(rows.size());
    for (const auto& row : rows) {
      ++written;
      to(row);
    }
  }
  template <class Archive>
  void load(Archive& from) {
    std::size_t size = 0;
    from(size);
    rows.resize(size);
    for (auto& row : rows) from(row);
  }
};

struct Versioned {
  long value = 0;
  Lazy<Versioned> next;

  template <class Archive>
  void serialize(Archive& archive, std::uint32_t version) {
    archive(value, next);
    EXPECT_EQ(version, 3U);
  }
};

/// Can be read, not written.
struct Unwritable {
  int number = 0;

  template <class Archive>
  void save(Archive&) const {
    throw std::length_error("too long for me");
  }
  template <class Archive>
  void load(Archive&) {}
};

}  // namespace
}  // namespace trawl::heap

CEREAL_CLASS_VERSION(trawl::heap::Versioned, 3)

namespace trawl::heap {
namespace {

std::vector<double> numbers(long n) {
  return std::vector<double>(static_cast<std::size_t>(n), 1.5);
}

class Pack : public ::testing::Test {
 protected:
  Pack() { CodeTable::get(); }

  GlobalAddressTable home{0, 3, 1U << 16U};
  GlobalAddressTable away{1, 3, 1U << 16U};

  const Cell& get(Lazy<Cell> lazy) {
    EXPECT_EQ(lazy.node()->state(), State::value);
    return ResultOf<Cell>::get(lazy.node());
  }

  Lazy<Cell> claimed_thunk(long value, Lazy<Cell> left = {}, Lazy<Cell> right = {}) {
    auto thunk = lazy<make_cell>(value, left, right);
    EXPECT_TRUE(thunk.node()->move(State::unevaluated, State::exported));
    return thunk;
  }
};

TEST_F(Pack, SharingSurvives) {
  const Lazy<Cell> leaf(Cell{7, {}, {}});
  const auto root = carry(Lazy<Cell>(Cell{1, leaf, leaf}), home, away);
  EXPECT_EQ(get(root).value, 1);
  EXPECT_EQ(get(root).left.node(), get(root).right.node());
  EXPECT_NE(get(root).left.node(), leaf.node());
  EXPECT_EQ(get(get(root).left).value, 7);
  EXPECT_EQ(home.slots(), 0U);
}

TEST_F(Pack, CyclesSurviveTheRootIncluded) {
  Lazy<Cell> a(Cell{1, {}, {}});
  const Lazy<Cell> b(Cell{2, a, {}});
  ResultOf<Cell>::held(a.node()).value.left = b;
  ResultOf<Cell>::held(a.node()).value.right = a;
  const auto root = carry(a, home, away);
  EXPECT_EQ(get(root).right.node(), root.node());
  EXPECT_EQ(get(get(root).left).left.node(), root.node());
}

TEST_F(Pack, LongListsTakeNoStack) {
  Lazy<Cell> list;
  for (long i = 0; i < 200'000; ++i) list = Lazy<Cell>(Cell{i, list, {}});
  auto at = carry(list, home, away, {std::size_t{1} << 30U, 0});
  for (long i = 199'999; i >= 0; --i) {
    ASSERT_EQ(get(at).value, i);
    at = get(at).left;
  }
  EXPECT_FALSE(at);
}

TEST_F(Pack, LimitOfBytesTurnsTheRestIntoReferences) {
  for (const std::size_t bytes : {0U, 1U, 16U, 40U, 100U, 1000U, 100'000U}) {
    Lazy<Cell> list;
    for (long i = 0; i < 1000; ++i) list = Lazy<Cell>(Cell{i, list, {}});
    auto at = carry(list, home, away, {bytes, 0});
    std::size_t cells = 0;
    while (at && at.node()->state() == State::value) {
      ASSERT_EQ(get(at).value, 999 - static_cast<long>(cells));
      at = get(at).left;
      ++cells;
    }
    EXPECT_GE(cells, 1U) << "the root always goes";
    EXPECT_LE(cells, 2 + bytes / 16);
    if (cells == 1000) continue;
    ASSERT_EQ(at.node()->state(), State::fetch_me);
    EXPECT_EQ(away.target(at.node())->at.pe, 0U);
    EXPECT_EQ(home.weights_out().size(), 1 + home.slots() - 1);
  }
}

TEST_F(Pack, AValueLargerThanThePacketStaysBehind) {
  const Lazy<std::vector<double>> big(numbers(1000));
  const Lazy<std::vector<double>> small(numbers(3));
  using Both = std::vector<Lazy<std::vector<double>>>;
  const auto both = carry(Lazy<Both>(Both{big, small}), home, away, {500, 0});
  const auto& parts = ResultOf<Both>::get(both.node());
  EXPECT_EQ(parts[0].node()->state(), State::fetch_me);
  EXPECT_EQ(parts[1].node()->state(), State::value) << "room again for what is smaller";
  // As a root it travels whatever its size.
  const auto alone = carry(big, home, away, {500, 0});
  EXPECT_EQ(ResultOf<std::vector<double>>::get(alone.node()), numbers(1000));
}

TEST_F(Pack, AValueThatDoesNotFitIsNotWrittenToItsEnd) {
  const Lazy<Counted> big(Counted{{1000, numbers(10)}});
  using Root = std::pair<Lazy<Counted>, Lazy<Cell>>;
  Counted::written = 0;
  const auto root =
      carry(Lazy<Root>(Root{big, Lazy<Cell>(Cell{7, {}, {}})}), home, away, {1000, 0});
  EXPECT_LE(Counted::written, 1000 / 80 + 256 / 8 + 1);
  EXPECT_EQ(ResultOf<Root>::get(root.node()).first.node()->state(), State::fetch_me);
  EXPECT_EQ(get(ResultOf<Root>::get(root.node()).second).value, 7);
  const auto alone = carry(big, home, away, {1000, 0});
  EXPECT_EQ(ResultOf<Counted>::get(alone.node()).rows, ResultOf<Counted>::get(big.node()).rows);
}

// cereal writes the version of a class once an archive, but each node is read by itself.
TEST_F(Pack, VersionedClassesInManyNodes) {
  Lazy<Versioned> list;
  for (long i = 0; i < 20; ++i) list = Lazy<Versioned>(Versioned{i, list});
  for (const std::size_t bytes : {200U, 10'000U}) {
    auto at = carry(list, home, away, {bytes, 0});
    long expected = 19;
    for (; at && at.node()->state() == State::value; --expected) {
      ASSERT_EQ(ResultOf<Versioned>::get(at.node()).value, expected);
      at = ResultOf<Versioned>::get(at.node()).next;
    }
    EXPECT_LT(expected, 15);
    if (bytes == 10'000U) {
      EXPECT_EQ(expected, -1);
    }
  }
}

// What the rolled back value referred to must not stay in the packet.
TEST_F(Pack, AValueTakenBackTakesItsReferencesBack) {
  std::vector<Lazy<Cell>> many;
  for (long i = 0; i < 100; ++i) many.emplace_back(Cell{i, {}, {}});
  const Lazy<std::vector<Lazy<Cell>>> big(many);
  using Root = std::pair<Lazy<std::vector<Lazy<Cell>>>, Lazy<Cell>>;
  const auto root = carry(Lazy<Root>(Root{big, many[99]}), home, away, {300, 0});
  const auto& [left_behind, last] = ResultOf<Root>::get(root.node());
  EXPECT_EQ(left_behind.node()->state(), State::fetch_me);
  EXPECT_EQ(get(last).value, 99);
  EXPECT_EQ(home.slots(), 1U);
}

TEST_F(Pack, BlackHolesAndProxiesGoAsReferences) {
  const auto black = lazy<make_cell>(1L, Lazy<Cell>(), Lazy<Cell>());
  black.node()->move(State::unevaluated, State::black_hole);
  const auto thunk = lazy<make_cell>(2L, Lazy<Cell>(), Lazy<Cell>());
  const auto root = carry(Lazy<Cell>(Cell{0, black, thunk}), home, away);
  EXPECT_EQ(get(root).left.node()->state(), State::fetch_me);
  EXPECT_EQ(get(root).right.node()->state(), State::fetch_me);
  EXPECT_EQ(thunk.node()->state(), State::unevaluated) << "values don't take thunks along";
  // On to a third PE: it learns where the thunk is, not who told it.
  GlobalAddressTable third(2, 3, 1U << 16U);
  const auto there = carry(root, away, third);
  EXPECT_EQ(third.target(get(there).left.node())->at.pe, 0U);
  EXPECT_EQ(away.slots(), 0U);
  // And home, where the references become the nodes again.
  const auto back = carry(there, third, home);
  EXPECT_EQ(get(back).left.node(), black.node());
  EXPECT_EQ(get(back).right.node(), thunk.node());
}

TEST_F(Pack, ThunksMoveWithAThunkAndCanBeReverted) {
  const auto inner = lazy<make_cell>(2L, Lazy<Cell>(), Lazy<Cell>());
  const auto outer = claimed_thunk(1, inner, inner);
  Writer packet;
  pack_graph(packet, outer.node(), home, {});
  EXPECT_EQ(outer.node()->state(), State::exported);
  EXPECT_EQ(inner.node()->state(), State::exported);
  EXPECT_EQ(home.slots(), 2U);

  Reader reader(packet.view());
  const auto unpacked = unpack_graph(reader, 0, away, {}, nullptr);
  EXPECT_TRUE(unpacked.moved());
  ASSERT_EQ(unpacked.thunks.size(), 2U);
  EXPECT_EQ(unpacked.thunks[0].thunk, unpacked.root);
  EXPECT_EQ(unpacked.root->state(), State::unevaluated);
  test::evaluate(unpacked.root);
  const auto& there = get(Lazy<Cell>::refer_to(unpacked.root));
  EXPECT_EQ(there.left.node(), there.right.node());
  EXPECT_EQ(there.left.node(), unpacked.thunks[1].thunk);

  // The source still has its arguments: lost on the way, it could be evaluated here.
  for (const auto node : {inner.node(), outer.node()}) {
    node->settle(State::exported, State::unevaluated);
    test::evaluate(node);
  }
  EXPECT_EQ(get(outer).left.node(), inner.node());
  EXPECT_EQ(get(inner).value, 2);
}

long sum_of(const Lazy<std::vector<double>>& x, const Lazy<std::vector<double>>& y) {
  return static_cast<long>(force(x).size() + force(y).size());
}

TEST_F(Pack, ALargeValueDoesNotTravelWithAThunk) {
  const Lazy<std::vector<double>> large(numbers(1000));
  const Lazy<std::vector<double>> small(numbers(3));
  const auto spark = lazy<sum_of>(large, small);
  ASSERT_TRUE(spark.node()->move(State::unevaluated, State::exported));
  const auto thunk = carry(spark, home, away, {65536, 100});
  using T = Thunk<Function<sum_of>, long, Lazy<std::vector<double>>, Lazy<std::vector<double>>>;
  EXPECT_EQ(T::argument<0>(thunk.node()).node()->state(), State::fetch_me);
  EXPECT_EQ(T::argument<1>(thunk.node()).node()->state(), State::value);
}

using Table = std::vector<Lazy<Cell>>;

long look_up(const Lazy<Table>& table, std::size_t at) {
  return force(force(table)[at]).value;
}
using LookUp = Thunk<Function<look_up>, long, Lazy<Table>, std::size_t>;

Lazy<long> claimed_look_up(Lazy<Table> table, std::size_t at) {
  const auto thunk = lazy<look_up>(table, at);
  thunk.node()->move(State::unevaluated, State::exported);
  return thunk;
}

Node* table_of(Lazy<long> look_up) {
  return LookUp::argument<0>(look_up.node()).node();
}

// Sparks often refer to the same table: it goes along with the first.
TEST_F(Pack, WhatSparksShareTravelsOnce) {
  Table cells;
  for (long i = 0; i < 100; ++i) cells.emplace_back(Cell{i, {}, {}});
  const Lazy<Table> table(cells);
  const auto first = carry(claimed_look_up(table, 1), home, away);
  Writer second;
  pack_graph(second, claimed_look_up(table, 2).node(), home, {}, {1});
  EXPECT_LT(second.size(), 200U);
  Reader reader(second.view());
  const auto there = unpack_graph(reader, 0, away, {}, nullptr);
  ASSERT_EQ(table_of(first)->state(), State::value);
  EXPECT_EQ(table_of(Lazy<long>::refer_to(there.root)), table_of(first));
  EXPECT_EQ(get(ResultOf<Table>::get(table_of(first))[99]).value, 99);
  // A third PE has not got it.
  GlobalAddressTable third(2, 3, 1U << 16U);
  const auto elsewhere = carry(claimed_look_up(table, 3), home, third);
  EXPECT_EQ(table_of(elsewhere)->state(), State::value);
  // What comes home is what it was there.
  ASSERT_TRUE(first.node()->move(State::unevaluated, State::exported));
  EXPECT_EQ(table_of(carry(first, away, home)), table.node());
}

// It is asked for again when its copy may have died.
TEST_F(Pack, WhatWasLetGoOfTravelsAgain) {
  const Lazy<Table> table(Table(100, Lazy<Cell>(Cell{})));
  const auto first = carry(claimed_look_up(table, 1), home, away);
  const auto slot = away.target(table_of(first))->at.slot;
  home.drop_copy(slot, 1);
  GlobalAddressTable forgetful(1, 3, 1U << 16U);
  EXPECT_EQ(table_of(carry(claimed_look_up(table, 2), home, forgetful))->state(), State::value);
}

// Others are about them; those of a chunk, or of a list, move.
TEST_F(Pack, ThunksInASharedTableStay) {
  Table cells;
  for (long i = 0; i < 100; ++i) cells.push_back(lazy<make_cell>(i, Lazy<Cell>(), Lazy<Cell>()));
  const auto there = carry(claimed_look_up(Lazy<Table>(cells), 1), home, away);
  const auto* table = table_of(there);
  ASSERT_EQ(table->state(), State::value);
  for (const auto& cell : cells) EXPECT_EQ(cell.node()->state(), State::unevaluated);
  const auto chunk = lazy([](const Table& all) { return static_cast<long>(all.size()); }, cells);
  ASSERT_TRUE(chunk.node()->move(State::unevaluated, State::exported));
  carry(chunk, home, away);
  for (const auto& cell : cells) EXPECT_EQ(cell.node()->state(), State::exported);
}

TEST_F(Pack, LimitOfThunks) {
  for (const std::size_t limit : {0U, 1U, 3U, 10U}) {
    std::vector<Lazy<Cell>> parts;
    Lazy<Cell> all;
    for (long i = 0; i < 5; ++i) {
      parts.push_back(lazy<make_cell>(i, Lazy<Cell>(), Lazy<Cell>()));
      all = Lazy<Cell>(Cell{0, parts.back(), all});
    }
    const auto root = claimed_thunk(9, all);
    Writer packet;
    pack_graph(packet, root.node(), home, {std::size_t{1} << 20U, limit});
    Reader reader(packet.view());
    const auto unpacked = unpack_graph(reader, 0, away, {}, nullptr);
    EXPECT_EQ(unpacked.thunks.size(), 1 + std::min<std::size_t>(limit, 5));
    std::size_t stayed = 0;
    for (const auto& part : parts) stayed += part.node()->state() == State::unevaluated ? 1U : 0U;
    EXPECT_EQ(stayed, 5 - std::min<std::size_t>(limit, 5));
  }
}

TEST_F(Pack, AThunkThatRefersToItself) {
  const auto root = claimed_thunk(1);
  using T = Thunk<Function<make_cell>, Cell, long, Lazy<Cell>, Lazy<Cell>>;
  T::argument<1>(root.node()) = root;
  const auto there = carry(root, home, away);
  test::evaluate(there.node());
  EXPECT_EQ(get(there).left.node(), there.node());
}

// A value that has a name finds the proxy that waits for it, wherever in a packet it comes.
TEST_F(Pack, AValueThatComesHomeFillsItsProxy) {
  const auto black = lazy<make_cell>(5L, Lazy<Cell>(), Lazy<Cell>());
  black.node()->move(State::unevaluated, State::black_hole);
  const auto first = carry(Lazy<Cell>(Cell{0, black, {}}), home, away);
  const auto proxy = get(first).left;
  ASSERT_EQ(proxy.node()->state(), State::fetch_me);
  black.node()->settle(State::black_hole, State::unevaluated);
  test::evaluate(black.node());

  Writer packet;
  pack_graph(packet, Lazy<Cell>(Cell{1, black, {}}).node(), home, {});
  Reader reader(packet.view());
  const auto unpacked = unpack_graph(reader, 0, away, {}, nullptr);
  EXPECT_EQ(get(Lazy<Cell>::refer_to(unpacked.root)).left.node(), proxy.node());
  EXPECT_EQ(get(proxy).value, 5);
  ASSERT_EQ(unpacked.resolved.size(), 1U);
  EXPECT_EQ(unpacked.resolved[0], proxy.node());
  // Home again it is not copied: it is known there.
  const auto back = carry(Lazy<Cell>(Cell{2, proxy, {}}), away, home);
  EXPECT_EQ(get(back).left.node(), black.node());
}

// What a FETCH is answered with: the root's receiver knows which node it is for.
TEST_F(Pack, ARootFillsTheProxyThatAskedForIt) {
  const auto thunk = lazy<make_cell>(5L, Lazy<Cell>(), Lazy<Cell>());
  const auto proxy = get(carry(Lazy<Cell>(Cell{0, thunk, {}}), home, away)).left;
  ASSERT_EQ(proxy.node()->state(), State::fetch_me);
  test::evaluate(thunk.node());
  ResultOf<Cell>::held(thunk.node()).value.left = thunk;
  Writer packet;
  pack_graph(packet, thunk.node(), home, {});
  for (std::size_t size = 0; size < packet.size(); ++size) {
    Reader cut(packet.view().first(size));
    EXPECT_THROW(unpack_graph(cut, 0, away, {}, proxy.node()), BadBytes) << size;
    EXPECT_EQ(proxy.node()->state(), State::fetch_me);
  }
  Reader reader(packet.view());
  const auto unpacked = unpack_graph(reader, 0, away, {}, proxy.node());
  EXPECT_EQ(unpacked.root, proxy.node());
  ASSERT_EQ(unpacked.resolved.size(), 1U);
  EXPECT_EQ(unpacked.resolved[0], proxy.node());
  EXPECT_EQ(get(proxy).value, 5);
  EXPECT_EQ(get(proxy).left.node(), proxy.node());
}

long number(long n) {
  return n;
}

TEST_F(Pack, APlainRootFillsTheProxyThatAskedForIt) {
  using Numbers = std::vector<Lazy<long>>;
  const auto thunk = lazy<number>(5L);
  const auto there = carry(Lazy<Numbers>(Numbers{thunk}), home, away);
  const auto proxy = ResultOf<Numbers>::get(there.node())[0].node();
  ASSERT_EQ(proxy->state(), State::fetch_me);
  test::evaluate(thunk.node());
  Writer packet;
  pack_graph(packet, thunk.node(), home, {});
  for (std::size_t size = 0; size < packet.size(); ++size) {
    Reader cut(packet.view().first(size));
    EXPECT_THROW(unpack_graph(cut, 0, away, {}, proxy), BadBytes) << size;
  }
  Writer of_another;
  pack_graph(of_another, Lazy<double>(5.0).node(), home, {});
  Reader wrong(of_another.view());
  EXPECT_THROW(unpack_graph(wrong, 0, away, {}, proxy), BadBytes);
  ASSERT_EQ(proxy->state(), State::fetch_me);
  Reader reader(packet.view());
  const auto unpacked = unpack_graph(reader, 0, away, {}, proxy);
  EXPECT_EQ(reader.left(), 0U);
  ASSERT_EQ(unpacked.resolved.size(), 1U);
  EXPECT_EQ(unpacked.resolved[0], proxy);
  EXPECT_EQ(proxy->state(), State::value);
  EXPECT_EQ(ResultOf<long>::get(proxy), 5);
}

// Acknowledgements go to where the thunks say they were.
TEST_F(Pack, NobodyMovesTheThunksOfAnother) {
  const auto inner = lazy<make_cell>(2L, Lazy<Cell>(), Lazy<Cell>());
  const auto outer = claimed_thunk(1, inner, inner);
  Writer packet;
  pack_graph(packet, outer.node(), home, {});
  for (const std::uint32_t from : {1U, 2U}) {
    Reader reader(packet.view());
    EXPECT_THROW(unpack_graph(reader, from, away, {}, nullptr), BadBytes) << from;
  }
  Reader reader(packet.view());
  EXPECT_TRUE(unpack_graph(reader, 0, away, {}, nullptr).moved());
}

TEST_F(Pack, ARootThatIsAskedForHasNoOtherName) {
  const auto thunk = lazy<make_cell>(5L, Lazy<Cell>(), Lazy<Cell>());
  const auto proxy = get(carry(Lazy<Cell>(Cell{0, thunk, {}}), home, away)).left;
  Writer packet;
  packet.put(Address{0, 0, 1});
  packet.put(5L);
  packet.put(no_place);
  packet.put(no_place);
  packet.put(
      heap::Run{.size = packet.size(), .code = proxy.node()->code().id, .part = Part::named_value});
  packet.put(std::uint32_t{1});
  Reader reader(packet.view());
  EXPECT_THROW(unpack_graph(reader, 0, away, {}, proxy.node()), BadBytes);
}

TEST_F(Pack, BadPacketsAreRefused) {
  Writer packet;
  pack_graph(packet, Lazy<Cell>(Cell{1, {}, {}}).node(), home, {});
  for (std::size_t size = 0; size < packet.size(); ++size) {
    Reader cut(packet.view().first(size));
    EXPECT_THROW(unpack_graph(cut, 0, away, {}, nullptr), BadBytes) << size;
  }
  Reader whole(packet.view());
  const auto proxy =
      carry(Lazy<Cell>(Cell{0, lazy<make_cell>(1L, Lazy<Cell>(), Lazy<Cell>()), {}}), home, away);
  EXPECT_THROW(unpack_graph(whole, 0, away, {}, get(proxy).left.node()), BadBytes)
      << "of another type";
}

TEST_F(Pack, AValueThatCannotBeWrittenIsAnErrorThatSaysWhy) {
  const Lazy<Unwritable> value(Unwritable{});
  Writer packet;
  try {
    pack_graph(packet, value.node(), home, {});
    FAIL() << "it was written";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("too long for me"), std::string::npos);
  }
}

}  // namespace
}  // namespace trawl::heap
