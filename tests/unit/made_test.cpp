// Shards are made in memory in which they can stay, of which the collector looks at no numbers.
#ifndef TRAWL_NO_COLLECTOR

#include <cstddef>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/dist/made.hpp>
#include <trawl/numbers.hpp>

#include "rts/heap/blocks.hpp"

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

}  // namespace

#endif
