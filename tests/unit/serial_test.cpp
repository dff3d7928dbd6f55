// Values of many types there and back again, alone and holding Lazies.
#include "rts/inline/serial.hpp"

#include <deque>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>

#include <cereal/types/memory.hpp>
#include <gtest/gtest.h>

#include "tests/unit/heap_grid.hpp"

namespace trawl::heap {
namespace {

enum class Colour : std::uint8_t { red, green };

struct Plain {
  int a = 0;
  double b = 0;
  friend bool operator==(const Plain&, const Plain&) = default;
};

struct Flagged {
  bool yes = false;
  Colour colour = Colour::red;
  std::array<bool, 3> more{};
  friend bool operator==(const Flagged&, const Flagged&) = default;
};

struct Nested {
  std::string name;
  Plain plain;
  std::vector<Plain> many;
  std::map<std::string, std::vector<int>> index;
  std::optional<std::pair<int, std::string>> maybe;
  friend bool operator==(const Nested&, const Nested&) = default;
};

struct Nothing {
  friend bool operator==(const Nothing&, const Nothing&) = default;
};

// Trivially copyable, with an invariant of its own.
class Even {
 public:
  Even() = default;
  explicit Even(int half) : value_(2 * half) {}
  friend bool operator==(const Even&, const Even&) = default;

 private:
  int value_ = 0;
};

class Account {
 public:
  Account() = default;
  Account(std::string owner, long cents) : owner_(std::move(owner)), cents_(cents) {}
  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(owner_), cents_);
  }
  friend bool operator==(const Account&, const Account&) = default;

 private:
  std::string owner_;
  long cents_ = 0;
};

class Temperature {
 public:
  Temperature() = default;
  explicit Temperature(double kelvin) : kelvin_(kelvin) {}
  template <class Archive>
  void save(Archive& archive) const {
    archive(kelvin_);
  }
  template <class Archive>
  void load(Archive& archive) {
    archive(kelvin_);
    if (kelvin_ < 0) throw std::invalid_argument("colder than can be");
  }
  friend bool operator==(const Temperature&, const Temperature&) = default;

 private:
  double kelvin_ = 0;
};

struct Rose {
  int value = 0;
  std::vector<Rose> petals;
  friend bool operator==(const Rose&, const Rose&) = default;
};

template <class T>
T there_and_back(const T& value) {
  GlobalAddressTable home(0, 2, 16);
  GlobalAddressTable away(1, 2, 16);
  const auto far = test::carry(Lazy<T>(value), home, away);
  return ResultOf<T>::get(test::carry(far, away, home).node());
}

template <class T>
void expect_one_same(const T& value) {
  EXPECT_EQ(there_and_back(value), value);
}

template <class... T>
void expect_same(const T&... values) {
  (expect_one_same(values), ...);
}

TEST(Serial, PlainValues) {
  expect_same(0, -1L, 'x', true, 3.25F, 1e300, std::numeric_limits<std::int64_t>::min(),
              Colour::green, Even(21), Plain{1, 2.5},
              Flagged{true, Colour::green, {true, false, true}}, Nothing{},
              std::complex<double>(1, -1), std::array<int, 4>{1, 2, 3, 4});
}

TEST(Serial, Containers) {
  expect_same(std::string("a\0b", 3), std::string(), std::vector<int>{1, 2, 3},
              std::vector<double>{}, std::vector<bool>{true, false, true, true},
              std::vector<Plain>{{1, 2}, {3, 4}}, std::vector<Flagged>(3),
              std::vector<std::string>{"", "long enough for the heap, this"},
              std::vector<Even>{Even(1), Even(2)}, std::deque<int>{4, 5},
              std::list<std::string>{"x"}, std::map<int, std::string>{{1, "one"}, {2, "two"}},
              std::set<int>{3, 1}, std::unordered_map<std::string, int>{{"a", 1}, {"b", 2}},
              std::array<std::string, 2>{"p", "q"}, std::wstring(L"wide"),
              std::vector<std::vector<bool>>{{true}, {}, {false, true}});
}

TEST(Serial, EqualKeysKeepTheirOrder) {
  expect_same(std::multimap<int, std::string>{{7, "a"}, {7, "b"}, {7, "c"}, {3, "d"}, {7, "e"}},
              std::map<int, std::multimap<int, int>>{{1, {{2, 1}, {2, 0}, {2, 3}}}});
  struct ByFirst {
    bool operator()(const std::pair<int, int>& a, const std::pair<int, int>& b) const {
      return a.first < b.first;
    }
  };
  expect_same(std::multiset<std::pair<int, int>, ByFirst>{{1, 3}, {1, 1}, {0, 9}, {1, 2}});
}

TEST(Serial, SumsAndProducts) {
  using Choice = std::variant<int, std::string, Plain>;
  expect_same(std::optional<int>(), std::optional<std::string>("x"), std::pair(1, std::string("p")),
              std::tuple(1, 2.5, std::string("t")), std::tuple<>(), Choice(1), Choice("two"),
              Choice(Plain{3, 4}), std::vector<Choice>{1, "x"},
              std::optional<std::optional<int>>(7));
}

TEST(Serial, ClassesOfOnesOwn) {
  Nested nested{"n", {1, 2}, {{3, 4}, {5, 6}}, {{"k", {1, 2}}}, std::pair(9, std::string("m"))};
  expect_same(nested, std::vector<Nested>{nested, {}}, Account("me", 100),
              std::map<std::string, Account>{{"a", Account("you", -5)}}, Temperature(293),
              Rose{1, {Rose{2, {}}, Rose{3, {Rose{4, {}}}}}});
}

/// Says nothing of itself.
struct Silent {
  template <class Archive>
  void serialize(Archive&) {}
  friend bool operator==(const Silent&, const Silent&) { return true; }
  friend bool operator<(const Silent&, const Silent&) { return false; }
};
struct Hollow {
  std::monostate nothing;
  friend bool operator==(const Hollow&, const Hollow&) = default;
};

// Else a container of many is longer than what there is to read.
TEST(Serial, WhatWritesNothingCountsInContainers) {
  using Pair = std::pair<std::monostate, Silent>;
  expect_same(std::vector<Silent>(7000), std::list<Silent>(7), std::deque<std::monostate>(9),
              std::vector<std::tuple<>>(5), std::vector<Hollow>(3), std::vector<Pair>(11),
              std::set<Silent>{Silent()}, std::map<std::string, Silent>{{"", {}}, {"b", {}}},
              std::vector<std::optional<Silent>>(5, Silent()),
              std::vector<std::array<std::string, 0>>(4), std::list<std::list<Silent>>(6),
              std::list<std::string>(6), Silent(), Hollow());
}

/// A list as cereal has them.
struct Link {
  template <class Archive>
  void serialize(Archive& archive) {
    archive(number, next, shared);
  }
  friend bool operator==(const Link& a, const Link& b) {
    return a.number == b.number && *a.shared == *b.shared && !a.next == !b.next &&
           (!a.next || *a.next == *b.next);
  }

  int number = 0;
  std::shared_ptr<Link> next;
  std::shared_ptr<std::string> shared = std::make_shared<std::string>();
};

TEST(Serial, ClassesMayHandOnTheirPointers) {
  Link last{3, nullptr, std::make_shared<std::string>("three")};
  expect_same(Link{1, std::make_shared<Link>(Link{2, std::make_shared<Link>(last)})});
}

// The same Lazy in every kind of place stays the same Lazy.
TEST(Serial, ValuesThatHoldLazies) {
  struct Mixed {
    Lazy<int> first;
    std::vector<Lazy<int>> vector;
    std::map<int, Lazy<int>> map;
    std::optional<Lazy<int>> optional;
    std::variant<int, Lazy<int>> variant;
    std::pair<int, Lazy<int>> pair;
    std::tuple<Lazy<int>, std::string> tuple;
    std::array<Lazy<int>, 2> array;
    Lazy<int> none;
  };
  const Lazy<int> x(42);
  GlobalAddressTable home(0, 2, 16);
  GlobalAddressTable away(1, 2, 16);
  const auto far = test::carry(
      Lazy<Mixed>(Mixed{x, {x, {}, x}, {{1, x}}, x, x, {1, x}, {x, "s"}, {x, x}, {}}), home, away);
  const auto& got = ResultOf<Mixed>::get(far.node());
  const auto same = got.first;
  EXPECT_EQ(ResultOf<int>::get(same.node()), 42);
  EXPECT_NE(same.node(), x.node());
  EXPECT_EQ(got.vector[0].node(), same.node());
  EXPECT_FALSE(got.vector[1]);
  EXPECT_EQ(got.vector[2].node(), same.node());
  EXPECT_EQ(got.map.at(1).node(), same.node());
  EXPECT_EQ(got.optional.value().node(), same.node());
  EXPECT_EQ(std::get<1>(got.variant).node(), same.node());
  EXPECT_EQ(got.pair.second.node(), same.node());
  EXPECT_EQ(std::get<0>(got.tuple).node(), same.node());
  EXPECT_EQ(got.array[1].node(), same.node());
  EXPECT_FALSE(got.none);
}

class NoPacket final : public PacketOut, public PacketIn {
  std::uint32_t place_of(Node*, std::size_t) override { return 0; }
  Loan lend(std::span<const std::byte>) override { throw BadBytes("nothing to lend here"); }
  void lay(std::span<const std::byte>) override {}
  Node* node_at(std::uint32_t, const void*) override { throw BadBytes("no nodes here"); }
  void borrow(const Loan&, std::uint64_t) override { throw BadBytes("nothing lent here"); }
  void read(const Loan&, std::uint64_t, std::span<std::byte>) override {}
};

template <class T>
T read_back(const Writer& bytes) {
  NoPacket none;
  Reader reader(bytes.view());
  Unpacker from(reader, none);
  T value;
  unpack(from, value);
  return value;
}

TEST(Serial, WhoOnlyWantsWhatIsReferredToGetsNoArrays) {
  constexpr std::size_t rows = 100, long_row = 1000;
  const std::vector value(rows, std::vector<double>(long_row));
  NoPacket packet;
  Writer bytes;
  Packer packer(bytes, packet);
  packer.no_limit(Arrays::left);
  pack(packer, value);
  EXPECT_LE(bytes.size(), (rows + 1) * sizeof(std::uint64_t));
}

TEST(Serial, LiesAboutLengthAreRefusedBeforeMemoryIsTaken) {
  Writer bytes;
  bytes.put(std::uint64_t{1} << 60U);
  bytes.put(1.0);
  EXPECT_THROW(read_back<std::vector<double>>(bytes), BadBytes);
  EXPECT_THROW(read_back<std::vector<Plain>>(bytes), BadBytes);
  EXPECT_THROW(read_back<std::string>(bytes), BadBytes);
  EXPECT_THROW((read_back<std::map<int, int>>(bytes)), BadBytes);
  EXPECT_THROW(read_back<std::vector<bool>>(bytes), BadBytes);
}

TEST(Serial, WrongContentIsRefused) {
  Writer bytes;
  bytes.put(std::int32_t{77});
  EXPECT_THROW((read_back<std::variant<int, double>>(bytes)), BadBytes);
  Writer cold;
  cold.put(-1.0);
  try {
    read_back<Temperature>(cold);
    FAIL() << "what a type's own load() throws is lost";
  } catch (const BadBytes& e) {
    EXPECT_STREQ(e.what(), "a value could not be unpacked: colder than can be");
  }
}

struct ThrowsNumbers {
  template <class Archive>
  void save(Archive&) const {
    throw 5;
  }
  template <class Archive>
  void load(Archive&) {
    throw 5;
  }
};

struct IsNeverMade {
  IsNeverMade() { throw std::runtime_error("not this one"); }
};

TEST(Serial, WhateverTypesThrowIsAnError) {
  Writer bytes;
  NoPacket packet;
  Packer packer(bytes, packet);
  EXPECT_THROW(pack(packer, ThrowsNumbers()), Error);
  EXPECT_THROW(read_back<ThrowsNumbers>(bytes), BadBytes);
  alignas(IsNeverMade) std::byte room[sizeof(IsNeverMade)];
  EXPECT_THROW(made_to_unpack<IsNeverMade>(room), BadBytes);
}

TEST(Serial, NestingIsBounded) {
  Writer bytes;
  for (int i = 0; i < 1'000'000; ++i) {
    bytes.put(1);
    bytes.put(std::uint64_t{1});
  }
  bytes.put(1);
  bytes.put(std::uint64_t{0});
  EXPECT_THROW(read_back<Rose>(bytes), BadBytes);
}

}  // namespace
}  // namespace trawl::heap
