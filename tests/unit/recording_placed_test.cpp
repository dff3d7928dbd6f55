// Recordings of skeletons: thunks for certain PEs, what they use, and where they lie.
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/recording_fixture.hpp"

namespace replay {
namespace {

// Two skeletons of three shards, as they are recorded: who waits for all has been given all.
TEST_F(RecordingTest, PlacedTasksLieWhereTheirDataDo) {
  const auto read = graph([](Record& record) {
    const std::uint32_t place = 4096;
    record.site({&place, 1});
    record.site({&place, 1});
    std::vector<std::uint64_t> shards;
    for (int i = 0; i < 3; ++i) {
      record.work(1 * us);
      shards.push_back(record.place(1));
    }
    for (int i = 0; i < 3; ++i) shards.push_back(record.place(2));
    shards.push_back(record.place(2));  // it uses nothing
    record.eval(10);
    for (std::size_t i = 0; i < shards.size(); ++i) {
      record.force(shards[i], 20);
      if (i >= 3 && i < 6) record.use(shards[5 - i]);
      record.work(20 * us);
      record.end(30, i < 3 ? 1000 : 0);
    }
    record.end(40);
    record.work(1 * us);
  });
  ASSERT_EQ(read.tasks.size(), 9U);
  for (Number i = 0; i < 7; ++i) EXPECT_EQ(read.tasks[i].placing, Placing::in_group);
  EXPECT_EQ(read.tasks[7].placing, Placing::none);
  EXPECT_EQ(read.tasks[2].kept, 1000U);
  EXPECT_EQ(told(read, 3), "use:2 work:20");
  const auto position = [&](Number task) {
    const auto at = read.positions.at(task);
    return std::pair(at.index, at.of);
  };
  for (Number i = 0; i < 3; ++i) {
    EXPECT_EQ(position(i), std::pair(i, Number{3}));
    EXPECT_EQ(position(5 - i), position(i));
  }
  EXPECT_EQ(position(6), std::pair(Number{3}, Number{4}));
  EXPECT_EQ(read.unrouted, 0U);
  const auto sums = totals(read);
  EXPECT_EQ(sums.placed, 7U);
  EXPECT_EQ(sums.sparks, 0U);
  EXPECT_EQ(sums.kept_bytes, 3000U);
  EXPECT_EQ(sums.critical_path, 44 * us);  // 20 before 20 of work; four pieces of 1
}

// What is only looked at, as a sum that all shards are given, does not say where one of them lies.
TEST_F(RecordingTest, WhatAllAreGivenDrawsNobody) {
  constexpr Number shards = 6;
  const auto read = graph([](Record& record) {
    const auto sum = record.place();
    record.force(sum, 1);
    record.work(20 * us);
    record.end(8);
    std::vector<std::uint64_t> all(shards);
    for (auto& shard : all) shard = record.place();
    for (const auto shard : all) {
      record.force(shard, 20);
      record.use(sum);
      record.work(20 * us);
      record.end(30, 1000);
    }
  });
  for (Number i = 0; i < shards; ++i) {
    EXPECT_EQ(read.positions.at(1 + i).index, i);
    EXPECT_EQ(read.positions.at(1 + i).of, shards);
  }
}

TEST_F(RecordingTest, WhoIsPlacedHimselfWaitsForNoGroup) {
  const auto read = graph([](Record& record) {
    const auto inner = record.place();
    const auto outer = record.place();
    record.force(outer, 1);
    record.force(inner, 1);
    record.work(20 * us);
    record.end(8);
    record.work(20 * us);
    record.end(8);
  });
  EXPECT_EQ(read.tasks[0].placing, Placing::by_itself);
  EXPECT_EQ(read.tasks[1].placing, Placing::in_group);
  EXPECT_EQ(read.positions.at(1).index, read.positions.at(0).index);  // beside what it needs
}

// Others may use what it gives.
TEST_F(RecordingTest, WhoHasPlacedSomethingIsNotOnePiece) {
  const auto read = [this](Nanos cut_off) { return read_recording(file_, {cut_off, 4}); };
  graph([](Record& record) {
    record.eval(1);
    record.work(1 * us);
    const auto shard = record.place();
    record.force(shard, 1);
    record.work(1 * us);
    record.end(8, 100);
    record.end(8);
    const auto other = record.place();
    record.force(other, 1);
    record.use(shard);
    record.end(8);
  });
  for (const Nanos cut_off : {0 * us, 1000 * us}) {
    ASSERT_EQ(read(cut_off).tasks.size(), 4U);
    EXPECT_EQ(told(read(cut_off), 2), "use:0");
  }
}

TEST_F(RecordingTest, UsesThatCannotBe) {
  const auto refused = [this](auto write) {
    Record record(file_, "test");
    write(record);
    record.close();
    return refusal();
  };
  EXPECT_EQ(refused([](Record& record) {
              record.force(record.place(), 1);
              record.use(1);
            }),
            "it uses a task that is not placed, or has not ended");
  EXPECT_EQ(refused([](Record& record) {
              record.eval(1);
              record.work(20 * us);
              record.end(1);
              record.force(record.place(), 1);
              record.use(1);
            }),
            "it uses a task that is not placed, or has not ended");
  const auto after_one = [](Record& record) {
    record.force(record.place(), 1);
    record.end(1);
  };
  EXPECT_EQ(refused([&](Record& record) {
              after_one(record);
              record.eval(1);
              record.use(1);
              record.work(20 * us);
              record.end(1);
            }),
            "a result is given to a task that is not placed, or has begun to work");
  EXPECT_EQ(refused([&](Record& record) {
              after_one(record);
              record.force(record.place(), 1);
              record.use(1);
              record.use(1);
            }),
            "it uses a task twice");
  EXPECT_EQ(refused([&](Record& record) {
              for (int i = 0; i < 5; ++i) after_one(record);
              record.force(record.place(), 1);
              for (std::uint64_t i = 1; i <= 5; ++i) record.use(i);
            }),
            "a task is given too many results");
  EXPECT_EQ(refused([&](Record& record) {
              record.eval(1);
              record.work(20 * us);
              record.end(1, 100);
            }),
            "a task that is not placed keeps something");
}

}  // namespace
}  // namespace replay
