// Recordings: what is written is what is read.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "profiles/replay/read_recording.hpp"
#include "rts/trace/record.hpp"
#include "tests/unit/random_recording.hpp"
#include "tests/unit/units.hpp"

namespace replay {
namespace {

using trawl::us;
using trawl::trace::Record;

class RecordingTest : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(file_); }

  /// What is read of what has been written.
  template <class Write>
  Graph graph(Write write) {
    Record record(file_, "test");
    write(record);
    record.close();
    EXPECT_EQ(record.trouble(), "");
    return read_recording(file_);
  }

  std::string refusal() {
    try {
      read_recording(file_);
    } catch (const trawl::Error& error) {
      EXPECT_EQ(error.exit_code(), 2);
      std::string what = error.what();
      EXPECT_TRUE(what.starts_with(file_ + ": byte ")) << what;
      return what.substr(std::min(what.size(), what.rfind(": ") + 2));
    }
    return "";
  }
  void rewrite(std::size_t at, const std::string& bytes) {
    std::fstream out(file_, std::ios::binary | std::ios::in | std::ios::out);
    out.seekp(static_cast<std::streamoff>(at));
    out << bytes;
  }

  std::string file_ =
      (std::filesystem::path(testing::TempDir()) / ("trawl_recording_" + std::to_string(getpid())))
          .string();
};

/// "work spawn:3", each with its task.
std::string told(const Graph& graph, Number task) {
  constexpr const char* names[] = {"work", "spawn", "par", "sync", "force", "eval", "place", "use"};
  std::string text;
  const auto& t = graph.tasks[task];
  for (auto at = t.first; at < t.first + t.ops; ++at) {
    const Op op = graph.ops[at];
    if (!text.empty()) text += ' ';
    text += names[static_cast<int>(op.step())];
    text += ':' + std::to_string(op.step() == Step::work ? op.time() / us : op.task());
  }
  return text;
}

TEST_F(RecordingTest, TasksAreReadAsTheyWereWritten) {
  const auto read = graph([](Record& record) {
    record.work(50 * us);
    const auto a = record.spawn();
    record.work(20 * us);
    const auto b = record.par();
    record.sync(a, 100);
    record.work(30 * us);
    record.end(8);
    record.force(b, 200);
    record.work(40 * us);
    record.end(16);
    record.eval(300);
    record.work(60 * us);
    record.end(24);
    record.work(1 * us);
  });
  EXPECT_EQ(read.program, "test");
  ASSERT_EQ(read.tasks.size(), 4U);
  EXPECT_EQ(told(read, read.root()), "work:50 spawn:0 work:20 par:1 sync:0 force:1 eval:2 work:1");
  EXPECT_EQ(told(read, 0), "work:30");
  EXPECT_EQ(read.tasks[1].arguments, 200U);
  EXPECT_EQ(read.tasks[2].result, 24U);
  const auto sums = totals(read);
  EXPECT_EQ(sums.tasks, 3U);
  EXPECT_EQ(sums.sparks, 2U);
  EXPECT_EQ(sums.work, 201 * us);
  // 70, then what began there is waited for: 40; then 60 and 1.
  EXPECT_EQ(sums.critical_path, 171 * us);
  EXPECT_EQ(sums.argument_bytes, 600U);
  EXPECT_EQ(sums.result_bytes, 48U);
}

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

TEST_F(RecordingTest, SmallSubtreesAreOnePiece) {
  const auto read = graph([](Record& record) {
    const auto outer = record.spawn();
    record.sync(outer, 1);
    record.work(3 * us);
    const auto inner = record.spawn();
    record.work(1 * us);
    record.sync(inner, 1);
    record.work(2 * us);
    record.end(1);
    record.end(2);
    const auto large = record.spawn();
    record.sync(large, 1);
    const auto within = record.spawn();
    record.sync(within, 1);
    record.work(9 * us);
    record.end(1);
    record.work(1 * us);
    record.end(3);
    record.eval(5);
    record.work(4 * us);
    record.end(1);
  });
  ASSERT_EQ(read.tasks.size(), 4U);
  EXPECT_EQ(told(read, read.root()), "spawn:0 sync:0 spawn:2 sync:2 work:4");
  EXPECT_EQ(told(read, 0), "work:6");
  EXPECT_EQ(read.tasks[0].result, 2U);
  EXPECT_EQ(told(read, 1), "work:9");
  EXPECT_EQ(told(read, 2), "spawn:1 sync:1 work:1");
}

TEST_F(RecordingTest, WhatIsNeverNeededIsLeftOut) {
  const auto read = graph([](Record& record) {
    record.spawn();
    record.par();
    const auto a = record.par();
    record.force(a, 0);
    record.end(0);
  });
  EXPECT_EQ(read.not_needed, 2U);
  EXPECT_EQ(told(read, read.root()), "par:0 force:0");
}

TEST_F(RecordingTest, FunctionsHaveNames) {
  const auto read = graph([](Record& record) {
    record.name("one");
    record.name("two\x01");
    const auto a = record.spawn();
    record.sync(a, 0, 2);
    record.work(20 * us);
    record.end(0);
    record.eval(0, 1);
    record.work(20 * us);
    record.end(0);
    record.eval(0, 3);  // which there is not
    record.work(20 * us);
    record.end(0);
  });
  EXPECT_EQ(read.functions, (std::vector<std::string>{"root", "one", "two?"}));
  EXPECT_EQ(read.tasks[0].function, 2U);
  EXPECT_EQ(read.tasks[1].function, 1U);
  EXPECT_EQ(read.tasks[2].function, 0U);
}

TEST_F(RecordingTest, ACutOffEvaluatesInPlace) {
  const auto write = [](Record& record) {
    const auto outer = record.spawn();
    const auto other = record.par();
    record.sync(outer, 1);
    const auto inner = record.spawn();
    record.work(30 * us);
    record.sync(inner, 1);
    record.work(20 * us);
    record.end(1);
    record.end(2);
    const auto user = record.spawn();
    record.sync(user, 0);
    record.work(5 * us);
    record.force(other, 0);  // not its own
    record.work(15 * us);
    record.end(1);
    record.end(1);
  };
  graph(write);
  const auto read = [this](Nanos cut_off) { return read_recording(file_, {cut_off, 1}); };
  EXPECT_EQ(read(0).tasks.size(), 5U);
  const auto some = read(25 * us);
  ASSERT_EQ(some.tasks.size(), 3U);
  EXPECT_EQ(told(some, some.root()), "spawn:0 sync:0 spawn:1 sync:1");
  EXPECT_EQ(told(some, 0), "work:50");
  EXPECT_EQ(told(some, 1), "work:20");
  const auto more = read(60 * us);
  EXPECT_EQ(told(more, more.root()), "work:50 spawn:0 sync:0");
  for (const auto& each : {some, more}) {
    EXPECT_EQ(totals(each).work, 70 * us);
    EXPECT_EQ(each.not_needed, 0U);
  }
}

TEST_F(RecordingTest, AChunkIsSeveralSparksOfAList) {
  graph([](Record& record) {
    std::vector<std::uint64_t> list(7);
    for (auto& each : list) each = record.par();
    for (const auto each : list) {
      record.force(each, 10, 1);
      record.work(20 * us);
      record.end(5);
    }
  });
  const auto read = read_recording(file_, {0, 3});
  ASSERT_EQ(read.tasks.size(), 4U);
  EXPECT_EQ(told(read, read.root()), "par:0 par:1 par:2 force:0 force:1 force:2");
  EXPECT_EQ(told(read, 0), "work:60");
  EXPECT_EQ(told(read, 2), "work:20");
  EXPECT_EQ(read.tasks[0].arguments, 30U);
  EXPECT_EQ(read.tasks[0].result, 15U);
  EXPECT_EQ(totals(read).work, 140 * us);
}

TEST_F(RecordingTest, ThunksGoWithArgumentsAndResults) {
  const auto read = graph([](Record& record) {
    const auto maker = record.spawn();
    record.sync(maker, 0);
    record.work(20 * us);
    const auto made = record.par();
    record.end(0);
    const auto user = record.spawn();
    record.sync(user, 0);
    record.work(20 * us);
    record.force(made, 0);
    record.work(20 * us);
    record.end(0);
    record.end(0);
  });
  ASSERT_EQ(read.tasks.size(), 4U);
  EXPECT_EQ(read.unrouted, 0U);
  EXPECT_EQ(told(read, 0), "work:20 par:1");
  EXPECT_EQ(told(read, 2), "work:20 force:1");
  EXPECT_EQ(read.passed.at(0).returned, std::vector<Number>{0});
  EXPECT_EQ(read.passed.at(2).given, std::vector<Number>{0});
}

// A value comes with arguments: who makes it is the last who is above all that refer to it.
TEST_F(RecordingTest, SharedValuesGoWithArguments) {
  const auto read = graph([](Record& record) {
    const auto everywhere = record.share(1000);
    const auto below_a = record.share(2000);
    record.share(3000);
    const auto a = record.spawn();
    const auto b = record.spawn();
    record.sync(b, 1);
    record.refer(everywhere);
    record.work(20 * us);
    record.end(1);
    record.sync(a, 1);
    const auto c = record.spawn();
    record.work(20 * us);
    record.sync(c, 1);
    record.refer(below_a);
    record.work(20 * us);
    record.eval(1);
    record.refer(everywhere);
    record.refer(below_a);
    record.work(20 * us);
    record.end(1);
    record.end(1);
    record.end(1);
  });
  const auto given = [&read](Number task) { return read.sets[read.tasks[task].given]; };
  EXPECT_EQ(std::vector(read.values.begin(), read.values.end()),
            (std::vector<std::uint64_t>{1000, 2000, 3000}));
  const Number b = 0, in_c = 1, c = 2, a = 3;
  EXPECT_EQ(given(b), Values{0});
  EXPECT_EQ(given(in_c), (Values{0, 1}));
  EXPECT_EQ(given(c), (Values{0, 1}));  // hands the one on
  EXPECT_EQ(given(a), Values{0});       // makes the other
  EXPECT_EQ(read.makes.at(read.root()), Values{0});
  EXPECT_EQ(read.makes.at(a), Values{1});
  EXPECT_EQ(read.makes.size(), 2U);
}

TEST_F(RecordingTest, APieceIsGivenItsSharedValues) {
  const auto read = graph([](Record& record) {
    const auto value = record.share(1000);
    const auto a = record.spawn();
    record.sync(a, 1);
    record.refer(value);
    record.work(us);
    record.eval(1);
    record.refer(value);
    record.work(us);
    record.end(1);
    record.end(1);
  });
  ASSERT_EQ(read.tasks.size(), 2U);
  EXPECT_EQ(read.tasks[0].ops, 1U);
  EXPECT_EQ(read.sets[read.tasks[0].given], Values{0});
}

// So many ways that no memory would do: the values are left out.
TEST_F(RecordingTest, LongWaysOfSharedValuesAreLeftOut) {
  const auto read = graph([](Record& record) {
    std::vector<std::uint32_t> values(3000);
    for (auto& value : values) value = record.share(1000);
    constexpr int depth = 5000;
    for (int i = 0; i < depth; ++i) record.eval(1);
    for (const auto value : values) {
      record.eval(1);
      record.refer(value);
      record.work(20 * us);
      record.end(1);
    }
    record.eval(1);
    for (int i = 0; i < 3; ++i) record.refer(values[static_cast<std::size_t>(i)]);
    record.work(20 * us);
    record.end(1);
    for (int i = 0; i < depth; ++i) record.end(1);
  });
  EXPECT_EQ(read.values.size(), 3000U);
  EXPECT_LT(read.sets.size(), 3000U);
  EXPECT_FALSE(read.makes.empty());
}

TEST_F(RecordingTest, ThunksOfUnknownWaysAreMadeWhereTheyAreForced) {
  const auto read = graph([](Record& record) {
    const auto user = record.spawn();  // it was made before
    const auto made = record.par();
    record.sync(user, 0);
    record.work(20 * us);
    record.force(made, 0);
    record.work(20 * us);
    record.end(0);
    record.end(0);
  });
  EXPECT_EQ(read.unrouted, 1U);
  EXPECT_EQ(told(read, 1), "work:20 eval:0");
}

TEST_F(RecordingTest, MillionsStreamOut) {
  constexpr int many = 300'000;
  const auto read = graph([](Record& record) {
    for (int i = 0; i < many; ++i) {
      const auto task = record.spawn();
      record.sync(task, 8);
      record.work(12 * us);
      record.end(8);
    }
  });
  EXPECT_EQ(read.tasks.size(), many + 1U);
  EXPECT_EQ(totals(read).work, many * 12 * us);
}

TEST_F(RecordingTest, DamageIsOneLine) {
  graph([](Record& record) { record.work(50 * us); });
  const auto size = std::filesystem::file_size(file_);
  rewrite(size - 1, "\x7f");
  EXPECT_EQ(refusal(), "this block is damaged");
  std::filesystem::resize_file(file_, size - 1);
  EXPECT_EQ(refusal(), "it is cut short");
  rewrite(20, "XXXX");
  EXPECT_EQ(refusal(), "no block begins here");
  std::filesystem::resize_file(file_, 20);
  EXPECT_EQ(refusal(), "it ends before its root does");
  rewrite(0, "X");
  EXPECT_EQ(refusal(), "this is no recording");
}

// The root makes sparks that are forced so deep below it.
Graph deep(int sparks, int depth) {
  return trawl::test::recorded([&](Record& record) {
    std::vector<std::uint64_t> made(static_cast<std::size_t>(sparks));
    for (auto& spark : made) spark = record.par();
    for (int i = 0; i < depth; ++i) record.eval(8);
    for (const auto spark : made) {
      record.force(spark, 8);
      record.work(1000);
      record.end(8);
    }
    for (int i = 0; i < depth; ++i) record.end(8);
  });
}

TEST(Recording, LongWaysAreRefusedBeforeMemoryIsOut) {
  const auto graph = deep(100, 4000);
  EXPECT_EQ(graph.unrouted, 0U);
  EXPECT_EQ(graph.passed.size(), 4000U);
  try {
    deep(4000, 4000);
    ADD_FAILURE() << "16 million steps";
  } catch (const trawl::Error& refused) {
    EXPECT_EQ(refused.exit_code(), 2);
    EXPECT_NE(std::string(refused.what()).find(": its sparks go through too many tasks"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace replay
