// What links between clusters carry: how a PE finds out, and how others hear of it.
#include <gtest/gtest.h>

#include "tests/unit/balance_inputs.hpp"
#include "tests/unit/units.hpp"

namespace trawl::balance {
namespace {

/// Three clusters of two PEs.
Tables of_three_clusters(int self) {
  Tables tables(self, 6);
  tables.set_roster(Roster::shared({{.pes = 2}, {.times = 2, .pes = 2, .step = 1}}));
  return tables;
}

std::int64_t between(const Tables& tables, std::uint32_t one, std::uint32_t other) {
  const auto row = tables.links().between(one, other);
  return row.measured < 0 ? -1 : row.bytes_a_second;
}

void tell(Tables& teller, Tables& listener, Nanos now, int times = 6) {
  for (int i = 0; i < times; ++i) {
    Writer message;
    teller.write_piggyback(message, now + i, {}, listener.self());
    EXPECT_LE(message.size(), Tables::max_piggyback_bytes);
    Reader in(message.view());
    listener.read_piggyback(in, teller.self(), now + i);
    in.end();
  }
}

// 100 ms and 10 KB/s: a message of 140 bytes takes 114 ms.
TEST(Bandwidth, ALongMessageTells) {
  auto tables = of_three_clusters(0);
  EXPECT_EQ(between(tables, 0, 1), -1);
  EXPECT_EQ(tables.links().best(), 0);
  tables.note_transfer(2, 140, 114 * ms, second);
  EXPECT_EQ(between(tables, 0, 1), -1) << "it may be the latency";
  tables.note_transfer(3, 10'140, 1'114 * ms, 2 * second);
  EXPECT_EQ(between(tables, 0, 1), 10'000);
  EXPECT_EQ(between(tables, 1, 0), 10'000);
  EXPECT_EQ(tables.links().best(), 10'000);
  EXPECT_EQ(between(tables, 0, 2), -1);
  tables.note_transfer(1, 10'140, 1, 2 * second);
  EXPECT_EQ(between(tables, 0, 0), -1) << "a neighbour";
}

// Of 100 ms and 1 KB/s they say the same as of a latency that changes.
TEST(Bandwidth, ShortOnesTellNothing) {
  auto tables = of_three_clusters(0);
  for (Nanos i = 1; i < 20; ++i) {
    const auto bytes = static_cast<std::size_t>(40 * i);
    tables.note_transfer(2, bytes, (100 + 40 * i) * ms, i * second);
  }
  EXPECT_EQ(between(tables, 0, 1), -1);
  tables.note_transfer(4, 100, ms, second);
  EXPECT_EQ(between(tables, 0, 2), 100'000) << "so much came in all that time";
}

// 2 KB over 100 ms and 1 KB/s take 2.1 s.
TEST(Bandwidth, WhatHasWaitedForALongOneSaysNothing) {
  auto tables = of_three_clusters(0);
  tables.note_transfer(2, 40, 140 * ms, second);
  tables.note_transfer(2, 2'040, 2'140 * ms, 4 * second);
  EXPECT_EQ(between(tables, 0, 1), 1'000);
  for (int i = 0; i < 5; ++i) tables.note_transfer(3, 60, 2'200 * ms, 4 * second + 60 * ms);
  tables.note_transfer(2, 2'040, 2'140 * ms, 8 * second);
  EXPECT_EQ(between(tables, 0, 1), 1'000) << "else it is not later than others of late";
}

// What others' messages hold up is late by chance: it does not make a link wider than it is.
TEST(Bandwidth, WhatWasNotLaterThanShortOnesSaysNothing) {
  auto tables = of_three_clusters(0);
  tables.note_transfer(2, 60, 100 * ms, 10 * second);
  tables.note_transfer(2, 60, 5 * second, 15 * second);
  tables.note_transfer(2, 1'660, 1'700 * ms, 18 * second);
  EXPECT_EQ(between(tables, 0, 1), -1);
  tables.note_transfer(2, 10'060, 10'100 * ms, 30 * second);
  EXPECT_EQ(between(tables, 0, 1), 1'000);
}

// Who sent it does not see how long it took. Told once, it takes its turn with the others.
TEST(Bandwidth, TheOtherEndIsToldFirst) {
  auto here = of_three_clusters(0);
  auto there = of_three_clusters(2);
  auto elsewhere = of_three_clusters(4);
  for (const int pe : {2, 4}) here.note_latency(pe, {7'000, 10});
  here.note_transfer(2, 3'000, 100 * ms, second);
  here.note_transfer(4, 9'000, 100 * ms, second);
  tell(here, elsewhere, second, 1);
  EXPECT_EQ(between(elsewhere, 0, 2), 90'000);
  EXPECT_EQ(between(elsewhere, 0, 1), -1);
  tell(here, there, second, 1);
  EXPECT_EQ(between(there, 0, 1), 30'000);
}

TEST(Bandwidth, TheGreatestOfAMinuteCounts) {
  auto tables = of_three_clusters(0);
  hear_bandwidth(tables, 2, 10'000, second);
  hear_bandwidth(tables, 2, 500, 10 * second);
  EXPECT_EQ(between(tables, 0, 1), 10'000);
  hear_bandwidth(tables, 2, 6'000, 11 * second);
  EXPECT_EQ(between(tables, 0, 1), 10'000) << "about the same: that counts as seen again";
  hear_bandwidth(tables, 2, 500, 70 * second);
  EXPECT_EQ(between(tables, 0, 1), 10'000);
  hear_bandwidth(tables, 2, 500, 72 * second);
  EXPECT_EQ(between(tables, 0, 1), 500);
  EXPECT_EQ(tables.links().best(), 500);
  hear_bandwidth(tables, 2, 90'000, 72 * second);
  EXPECT_EQ(between(tables, 0, 1), 90'000) << "a rise is believed at once";
}

TEST(Bandwidth, OfBothDirectionsTheLesser) {
  auto teller = of_three_clusters(2);
  auto listener = of_three_clusters(0);
  hear_bandwidth(teller, 0, 1'000, second);
  hear_bandwidth(listener, 2, 50'000, second);
  EXPECT_EQ(between(listener, 0, 1), 50'000);
  tell(teller, listener, 2 * second);
  EXPECT_EQ(between(listener, 0, 1), 1'000);
  EXPECT_EQ(between(listener, 1, 0), 1'000);
  EXPECT_EQ(listener.links().best(), 50'000);
}

// With latencies, in turn: no message is longer for it.
TEST(Bandwidth, ItSpreads) {
  auto teller = of_three_clusters(2);
  auto listener = of_three_clusters(0);
  teller.note_latency(4, {7'000, 10});
  hear_bandwidth(teller, 4, 3'000, 10);
  tell(teller, listener, 20);
  EXPECT_EQ(between(listener, 1, 2), 3'000);
  EXPECT_EQ(listener.latency_between(1, 2).one_way, 7'000);
  EXPECT_EQ(listener.links().best(), 0) << "not ours";
}

TEST(Bandwidth, OfNobodyIsRefused) {
  struct Row {
    std::uint32_t from, to;
    std::int64_t bytes_a_second;
    Nanos measured;
  };
  const auto take = [](const Row& row) {
    auto tables = of_three_clusters(0);
    Writer message;
    message.put(Load{});
    message.put(std::uint8_t{0x40});
    message.put(row);
    Reader in(message.view());
    tables.read_piggyback(in, 2, 10);
    return tables.links().between(1, 2).measured;
  };
  EXPECT_EQ(take({1, 2, 5, 7}), 7);
  EXPECT_EQ(take({2, 1, 5, 7}), 7);
  EXPECT_EQ(take({1, 2, 5, 3 * second}), 10) << "from the future";
  for (const Row& row : {Row{1, 1, 5, 7},
                         {1, 3, 5, 7},
                         {3, 1, 5, 7},
                         {1, 2, 0, 7},
                         {1, 2, -5, 7},
                         {1, 2, Bandwidth::most + 1, 7},
                         {1, 2, 5, -7}})
    EXPECT_THROW(take(row), BadBytes);
}

TEST(Bandwidth, DamagedBytesTeachNothingOrSomethingValid) {
  auto writer = of_three_clusters(2);
  hear_bandwidth(writer, 4, 3'000, 10);
  Writer good;
  writer.write_piggyback(good, 20, {}, 0);
  torment(Bytes(good.view().begin(), good.view().end()), [](std::span<const std::byte> bytes) {
    auto reader = of_three_clusters(0);
    Reader in(bytes);
    reader.read_piggyback(in, 2, 20);
    for (std::uint32_t one = 0; one < 3; ++one)
      for (std::uint32_t other = 0; other < 3; ++other) {
        const auto row = reader.links().between(one, other);
        if (row.measured < 0) continue;
        EXPECT_GE(row.bytes_a_second, 1);
        EXPECT_LE(row.bytes_a_second, Bandwidth::most);
        EXPECT_LE(row.measured, 20 + second);
      }
    for (const Nanos now : {Nanos{0}, second}) make_policy("trawl")->next(reader, {.now = now}, 7);
  });
}

TEST(Bandwidth, ResultsOfLate) {
  auto tables = of_three_clusters(0);
  EXPECT_EQ(tables.mean_result(), 0U);
  tables.note_result(100);
  tables.note_result(300);
  EXPECT_EQ(tables.mean_result(), 200U);
  for (int i = 0; i < 1'000; ++i) tables.note_result(50);
  EXPECT_NEAR(static_cast<double>(tables.mean_result()), 50, 2);
}

}  // namespace
}  // namespace trawl::balance
