// Shards are made in memory in which they can stay, of which the collector looks at no numbers.
#ifndef TRAWL_NO_COLLECTOR

#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/dist/made.hpp>
#include <trawl/keep.hpp>
#include <trawl/numbers.hpp>

#include "rts/heap/blocks.hpp"
#include "tests/unit/garbage.hpp"

namespace {

using namespace trawl::detail;
using trawl::heap::BlockKind;
using trawl::heap::kind_of;
using Row = std::vector<double>;

TEST(Made, RowsOfNumbersAreNotScanned) {
  const Row row(100, 1.5);
  Made<Row> made(4);
  made.add(row);
  made.add(Row(row));
  made.add_by([](Row& empty) { empty.assign(100, 1.5); });
  made.add_all(std::vector<Row>{row});
  const auto& rows = made.elements();
  ASSERT_EQ(rows, std::vector<Row>(4, row));
  EXPECT_EQ(kind_of(rows.data()), BlockKind::normal);  // refers to them
  for (const auto& each : rows) EXPECT_EQ(kind_of(each.data()), BlockKind::plain);
}

TEST(Made, RowsOfNumbersOfTheRuntimesMakingAreNotCopied) {
  Made<Row> made(2);
  Row row = trawl::numbers<double>(1000);
  const auto* const at = row.data();
  made.add(std::move(row));
  made.add(Row(1000));
  EXPECT_EQ(made.elements()[0].data(), at);
  EXPECT_EQ(made.elements(), std::vector<Row>(2, Row(1000)));
  EXPECT_EQ(kind_of(made.elements()[1].data()), BlockKind::plain);
}

struct Point {
  double x = 0;
  double y = 0;
};

TEST(Made, AShardOfTheRuntimesMakingIsNotCopied) {
  auto points = trawl::numbers<Point>(1000);
  const auto* const at = points.data();
  Made<Point> made(std::move(points), trawl::sched::begin_cost());
  EXPECT_EQ(made.elements().data(), at);
}

TEST(Made, WhatRefersToOthersIsScanned) {
  Made<std::vector<trawl::Lazy<long>>> made(1);
  made.add({trawl::Lazy<long>(7)});
  EXPECT_EQ(kind_of(made.elements()[0].data()), BlockKind::normal);
}

TEST(Made, IsNotCopiedIntoItsNode) {
  Made<double> made(100);
  made.add_all(Row(100, 1.5));
  const auto* const numbers = made.elements().data();
  EXPECT_EQ(kind_of(numbers), BlockKind::plain);
  EXPECT_EQ(trawl::force(std::move(made).alone()).data(), numbers);
}

TEST(Made, ALongArrayThatLiesInOwnedStorageIsMovedIntoItsNode) {
  const auto moved = [](std::size_t length, trawl::heap::Storage storage) {
    Row row = [&] {
      const trawl::heap::StorageScope scope(storage);
      return Row(length, 1.5);
    }();
    const auto* const numbers = row.data();
    return trawl::force(trawl::Lazy<Row>(std::move(row))).data() == numbers;
  };
  using trawl::heap::Storage;
  EXPECT_TRUE(moved(8192, Storage::owned_plain));
  EXPECT_FALSE(moved(8192, Storage::scanned));  // nobody would delete it
  EXPECT_FALSE(moved(100, Storage::owned_plain));
}

struct Part {
  int first = 0;
  Row numbers;
  std::vector<unsigned char> bytes;
};
struct Parts {
  std::vector<Part> all;
  std::vector<trawl::Lazy<long>> others;
  std::vector<Row> rows;
};

TEST(Kept, NumbersInPartsOfPartsAreNotScanned) {
  const Part part{1, Row(100, 1.5), std::vector<unsigned char>(20'000, 'x')};
  const auto lazy =
      trawl::keep(Parts{{part, part}, {trawl::Lazy<long>(7)}, {Row(100, 2.5), Row(100, 3.5)}});
  const auto& [all, others, rows] = trawl::force(lazy);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(kind_of(all.data()), BlockKind::normal);
  for (const auto& each : all) {
    EXPECT_EQ(each.numbers, part.numbers);
    EXPECT_EQ(each.bytes, part.bytes);
    EXPECT_EQ(kind_of(each.numbers.data()), BlockKind::plain);
    EXPECT_EQ(kind_of(each.bytes.data()), BlockKind::plain);
  }
  EXPECT_EQ(kind_of(others.data()), BlockKind::normal);
  EXPECT_EQ(trawl::force(others.at(0)), 7);
  EXPECT_EQ(kind_of(rows.data()), BlockKind::normal);
  EXPECT_EQ(rows.at(1), Row(100, 3.5));
  EXPECT_EQ(kind_of(rows.at(1).data()), BlockKind::plain);
}

/// A queue has memory from the beginning.
struct Queue {
  std::deque<trawl::Lazy<long>> waiting;
  Row numbers;
};

TEST(Kept, WhatIsCopiedByPartsDiesWithItsNode) {
  Queue queue{{}, Row(100, 1.5)};
  queue.waiting.emplace_back(7L);
  const auto live_after = [&queue](int copies) {
    for (int i = 0; i < copies; ++i) static_cast<void>(trawl::keep(std::as_const(queue)));
    return trawl::test::live_bytes();
  };
  const auto before = live_after(100);
  EXPECT_LT(live_after(20'000), before + 2'000'000);
}

/// May be made and moved, but not assigned as a copy.
struct Fixed {
  Fixed() = default;
  explicit Fixed(int its_x) : x(its_x) {}
  Fixed(const Fixed&) = default;
  Fixed(Fixed&&) = default;
  Fixed& operator=(const Fixed&) = delete;
  Fixed& operator=(Fixed&&) = delete;
  ~Fixed() = default;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(x);
  }

  int x = 0;
};
struct Fixtures {
  std::vector<Fixed> all;
  Row numbers;
};

TEST(Kept, PartsNeedNotBeAssigned) {
  Fixtures fixtures{{}, Row(3, 1.5)};
  fixtures.all.emplace_back(7);
  const auto lazy = trawl::keep(std::as_const(fixtures));
  EXPECT_EQ(trawl::force(lazy).all.at(0).x, 7);
  EXPECT_EQ(trawl::force(lazy).numbers, Row(3, 1.5));
}

struct Rose {
  Row numbers;
  std::vector<Rose> petals;
};

TEST(Kept, ATypeMayHoldItself) {
  const auto lazy = trawl::keep(Rose{Row(3, 1.5), {{Row(4, 2.5), {}}, {Row(5, 3.5), {{{}, {}}}}}});
  const auto& petals = trawl::force(lazy).petals;
  ASSERT_EQ(petals.size(), 2U);
  EXPECT_EQ(kind_of(petals.data()), BlockKind::normal);
  EXPECT_EQ(petals[1].numbers, Row(5, 3.5));
  EXPECT_EQ(kind_of(petals[1].numbers.data()), BlockKind::plain);
  EXPECT_EQ(petals[1].petals.size(), 1U);
}

TEST(Made, AnotherNodeOfTheSameElementsIsInTheSameMemory) {
  Made<Row> made(2);
  made.add(Row(100, 1.5));
  made.add(Row(100, 2.5));
  const auto first = std::move(made).alone();
  const auto second = by_another_name(trawl::force(first));
  EXPECT_NE(first.node(), second.node());
  EXPECT_EQ(trawl::force(second).data(), trawl::force(first).data());
}

/// Is destroyed when its node has died: so it can be in one only.
struct Owner {
  Owner() = default;
  explicit Owner(int length) : numbers(static_cast<std::size_t>(length), 1.5) {}
  ~Owner() {}  // NOLINT(modernize-use-equals-default)
  Owner(const Owner&) = default;
  Owner(Owner&&) noexcept = default;
  Owner& operator=(const Owner&) = default;
  Owner& operator=(Owner&&) noexcept = default;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(numbers);
  }

  Row numbers;
};

TEST(Made, WhatIsDestroyedIsCopiedForAnotherNode) {
  Made<Owner> made(1);
  made.add(Owner(100));
  const auto first = std::move(made).alone();
  const auto second = by_another_name(trawl::force(first));
  EXPECT_NE(trawl::force(second).data(), trawl::force(first).data());
  EXPECT_EQ(trawl::force(second).at(0).numbers, Row(100, 1.5));
}

}  // namespace

#endif
