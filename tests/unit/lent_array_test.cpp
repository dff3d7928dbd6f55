// Long arrays that are not sent: the receiver reads them in the sender's memory.
#include <cstring>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <trawl/lazy.hpp>
#include <unistd.h>

#include "rts/heap/pack.hpp"
#include "rts/inline/error.hpp"
#include "rts/simulate.hpp"
#include "tests/unit/grid_weights.hpp"
#include "tests/unit/heap_grid.hpp"

namespace trawl::heap {
namespace {

using Array = std::vector<double>;

#ifdef TRAWL_NO_COLLECTOR
constexpr bool lends = false;  // no array is known to stay where it is
#else
constexpr bool lends = true;
#endif

Array counted(int length, double first = 0) {
  Array array(static_cast<std::size_t>(length));
  std::iota(array.begin(), array.end(), first);
  return array;
}

struct Matrices {
  long number = 0;
  Array first;
  std::vector<float> shorter;
  Array second;
  Lazy<Array> other;
};

/// Writes an array that is gone when it has been packed.
struct Temporary {
  int length = 0;

  template <class Archive>
  void save(Archive& to) const {
    to(counted(length));
  }
  template <class Archive>
  void load(Archive& from) {
    Array array;
    from(array);
    length = array == counted(static_cast<int>(array.size())) ? static_cast<int>(array.size()) : -1;
  }
};

/// Is moved into its node: its memory is the program's.
class System {
 public:
  System() = default;
  explicit System(int size) : words(counted(size)) {}
  ~System() {}  // NOLINT(modernize-use-equals-default)
  System(const System&) = default;
  System(System&&) noexcept = default;
  System& operator=(const System&) = default;
  System& operator=(System&&) noexcept = default;

  template <class Archive>
  void save(Archive& to) const {
    Array temporary = words;
    for (double& word : temporary) word += 1;
    to(words, temporary);
  }
  template <class Archive>
  void load(Archive& from) {
    from(words, more);
  }

  Array words;
  Array more;
};

double total(Array array) {
  return std::accumulate(array.begin(), array.end(), 0.0);
}

/// Two PEs in this process.
class LentArray : public ::testing::Test {
 protected:
  LentArray() { CodeTable::get(); }

  Writer pack(Node* node) {
    Writer packet;
    pack_graph(packet, node, home, {}, {1, memory.shared_with(1) ? Arrays::lent : Arrays::copied});
    return packet;
  }
  template <class T>
  Lazy<T> carry(Lazy<T> lazy) {
    const Writer packet = pack(lazy.node());
    size = packet.size();
    Reader reader(packet.view());
    return Lazy<T>::refer_to(unpack_graph(reader, 0, away, memory, nullptr).root);
  }
  void send_frees() {
    for (const auto& [pe, weights] : away.take_frees())
      for (const auto& [slot, weight] : weights) home.give_back(slot, weight);
  }

  GlobalAddressTable home{0, 2, 1U << 16U};
  GlobalAddressTable away{1, 2, 1U << 16U};
  fabric::Memory memory{{getpid(), getpid()}};
  std::size_t size = 0;
};

TEST_F(LentArray, ComesWithoutBeingSent) {
  const Lazy<Array> array(counted(100'000));
  const auto arrived = carry(array);
  EXPECT_EQ(force(arrived), counted(100'000));
  EXPECT_EQ(size < 200U, lends);
  EXPECT_EQ(home.slots(), lends ? 1U : 0U) << "it may not be collected before it has been read";
  send_frees();
  EXPECT_EQ(home.slots(), 0U);
}

TEST_F(LentArray, GoesHomeEvenIfItsValueIsThereAlready) {
  const Lazy<Array> array(counted(100'000));
  const auto arrived = carry(array);
  const Writer again = pack(array.node());
  Reader reader(again.view());
  EXPECT_EQ(unpack_graph(reader, 0, away, memory, arrived.node()).root, arrived.node());
  EXPECT_EQ(force(arrived), counted(100'000));
  send_frees();
  EXPECT_EQ(home.slots(), 0U);
}

TEST_F(LentArray, InsideAnAggregate) {
  const Lazy<Matrices> here(
      Matrices{7, counted(50'000), {1, 2, 3}, counted(9'000, 5), Lazy<Array>(Array(20'000, 1.5))});
  const auto there = carry(here);
  const Matrices& matrices = force(there);
  EXPECT_EQ(matrices.number, 7);
  EXPECT_EQ(matrices.first, counted(50'000));
  EXPECT_EQ(matrices.shorter, std::vector<float>({1, 2, 3}));
  EXPECT_EQ(matrices.second, counted(9'000, 5));
  EXPECT_EQ(size < 400U, lends);
  EXPECT_FALSE(matrices.other.evaluated()) << "another large value stays behind, lent or not";
  send_frees();
  EXPECT_EQ(home.slots(), 1U) << "the other";
}

TEST_F(LentArray, InsideAValueThatWasMoved) {
  System system(20'000);
  const double* where = system.words.data();
  const Lazy<System> here(std::move(system));
  ASSERT_EQ(force(here).words.data(), where);
  const auto there = carry(here);
  EXPECT_EQ(force(there).words, counted(20'000));
  EXPECT_EQ(force(there).more, counted(20'000, 1)) << "it was gone when it had been packed";
  EXPECT_GT(size, 20'000 * sizeof(double));
  EXPECT_EQ(size < 2 * 20'000 * sizeof(double), lends);
  send_frees();
  EXPECT_EQ(home.slots(), 0U);
}

TEST_F(LentArray, WhatIsAboutToGoIsCopied) {
  EXPECT_EQ(force(carry(Lazy<Temporary>(Temporary{30'000}))).length, 30'000);
  EXPECT_GT(size, 30'000 * sizeof(double));
}

TEST_F(LentArray, ArgumentsOfAThunk) {
  const auto thunk = lazy<total>(counted(40'000));
  ASSERT_TRUE(thunk.node()->move(State::unevaluated, State::exported));
  const auto arrived = carry(thunk);
  EXPECT_EQ(size < 200U, lends);
  test::evaluate(arrived.node());
  EXPECT_EQ(force(arrived), total(counted(40'000)));
}

/// Rows of 16 KB, of which those in the first 64 KiB are copied.
using Rows = std::vector<Array>;

Rows rows() {
  Rows all;
  for (int i = 0; i < 100; ++i) all.push_back(counted(2'000, i));
  return all;
}

TEST_F(LentArray, AllRowsOfAMatrixByOneWeight) {
  const Lazy<Rows> lazy(rows());
  const auto arrived = carry(lazy);
  EXPECT_EQ(force(arrived), rows());
  EXPECT_EQ(size < 100'000U, lends);
  const auto frees = away.take_frees();
  ASSERT_EQ(frees.size(), lends ? 1U : 0U);
  if (!lends) return;
  ASSERT_EQ(frees.begin()->second.size(), 1U);
  const auto [slot, weight] = frees.begin()->second.front();
  home.give_back(slot, weight);
  EXPECT_EQ(home.slots(), 0U);
}

TEST_F(LentArray, FewRowsAreCopied) {
  auto few = rows();
  few.resize(3);
  const Lazy<Rows> lazy(few);
  EXPECT_EQ(force(carry(lazy)), few);
  EXPECT_EQ(home.slots(), 0U);
}

TEST_F(LentArray, ARowOfAnotherNodesIsRefused) {
  if (!lends) GTEST_SKIP() << "nothing is lent without the collector";
  const Lazy<Rows> lazy(rows());
  const Writer packet = pack(lazy.node());
  // As packed: a row's length, its loan's PE, slot and weight, and where it lies.
  std::vector<std::size_t> loans;
  for (std::size_t at = 0; at + 8 <= packet.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, packet.view().data() + at, sizeof word);
    if (word == (std::uint64_t{1} << 63U | 2'000)) loans.push_back(at);
  }
  ASSERT_GE(loans.size(), 90U);
  const auto refused = [&](std::size_t at, std::uint64_t with) {
    Bytes bytes(packet.view().begin(), packet.view().end());
    std::memcpy(bytes.data() + at, &with, sizeof with);
    Reader reader(bytes);
    EXPECT_THROW(unpack_graph(reader, 0, away, memory, nullptr), BadBytes);
  };
  refused(loans[0] + 24, 0);  // the first without weight
  refused(loans[1] + 24, 1);  // another one with some
  refused(loans[1] + 16, 7);  // of another node, without
  refused(loans[1] + 32, 8);  // at no address
  EXPECT_TRUE(away.take_frees().empty());
}

TEST_F(LentArray, BadLoansAreRefused) {
  if (!lends) GTEST_SKIP() << "nothing is lent without the collector";
  const Lazy<Array> array(counted(100'000));
  const Writer packet = pack(array.node());
  // As packed: the array's length, then the loan, whose parts are told apart by their places.
  const auto spoil = [&](std::size_t at, std::uint64_t with) {
    Bytes bytes(packet.view().begin(), packet.view().end());
    std::memcpy(bytes.data() + at, &with, sizeof with);
    return bytes;
  };
  const auto refused = [&](const Bytes& bytes) {
    Reader reader(bytes);
    EXPECT_THROW(unpack_graph(reader, 0, away, memory, nullptr), BadBytes);
  };
  refused(spoil(0, ~std::uint64_t{0}));                                      // longer than memory
  refused(spoil(0, (std::uint64_t{1} << 63U) | (std::uint64_t{1} << 45U)));  // than its sender's
  refused(spoil(0, std::uint64_t{1} << 63U));                                // without elements
  refused(spoil(8, 1));                                                      // lent by the receiver
  refused(spoil(8, 2));                                                      // by nobody
  refused(spoil(24, 0));                                                     // without weight
  refused(spoil(32, 8));                                                     // at no address
  Reader others(packet.view());
  EXPECT_THROW(unpack_graph(others, 2, away, memory, nullptr), BadBytes) << "not the sender's";
  Reader reader(packet.view());
  EXPECT_THROW(unpack_graph(reader, 0, away, fabric::Memory(), nullptr), BadBytes) << "not shared";
}

TEST_F(LentArray, ItsLenderHasDied) {
  if (!lends) GTEST_SKIP() << "nothing is lent without the collector";
  const pid_t dead = fork();
  if (dead == 0) _exit(0);
  ASSERT_EQ(waitpid(dead, nullptr, 0), dead);
  const Lazy<Array> array(counted(100'000));
  const Writer packet = pack(array.node());
  Reader reader(packet.view());
  EXPECT_THROW(unpack_graph(reader, 0, away, fabric::Memory({dead, getpid()}), nullptr), Error);
}

// ---- a whole grid ------------------------------------------------------------------------------

constexpr int products = 20;
constexpr int length = 20'000;

struct Product {
  int by = 0;
  Array array;
};

Product produce() {
  Simulation::work(1'000'000);
  return {Simulation::here(), counted(length)};
}

double consume(Lazy<Product> product) {
  Simulation::work(1'000'000);
  return total(force(product).array);
}

class LentArrayGrid : public ::testing::TestWithParam<bool> {};

TEST_P(LentArrayGrid, SparksTheirResultsAndWhatTheyFetch) {
  Simulation::Config config;
  config.net.pes = 3;
  config.net.shared_memory = GetParam();
  config.net.reorder = true;
  config.net.jitter = 100'000;
  Simulation simulation(config);
  simulation.run([] {
    std::vector<Lazy<Product>> made;
    std::vector<Lazy<double>> totals;
    for (int i = 0; i < products; ++i) {
      made.push_back(par(lazy<produce>()));
      totals.push_back(par(lazy<consume>(made.back())));
    }
    int elsewhere = 0;
    for (const auto& each : totals) EXPECT_EQ(force(each), total(counted(length)));
    for (const auto& each : made) {
      collect();
      EXPECT_EQ(force(each).array, counted(length));
      elsewhere += force(each).by != 0 ? 1 : 0;
    }
    EXPECT_GT(elsewhere, 0);
  });
  simulation.settle();
  const auto sent = simulation.net().counters().bytes;
  EXPECT_EQ(sent < length * sizeof(double), lends && GetParam());
  test::expect_weights_conserved(simulation);
}

INSTANTIATE_TEST_SUITE_P(SharedMemory, LentArrayGrid, ::testing::Bool());

}  // namespace
}  // namespace trawl::heap
