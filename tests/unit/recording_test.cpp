// Recordings: what is written is what is read.
#include <fstream>
#include <string>
#include <vector>

#include "tests/unit/random_recording.hpp"
#include "tests/unit/recording_fixture.hpp"

namespace replay {
namespace {

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

// Of a run that was killed, say.
TEST_F(RecordingTest, OfOneThatIsCutShortWhatIsBeforeThat) {
  Record record(file_, "test");
  record.name("f");
  const auto first = record.par();
  const auto second = record.par();
  record.par();
  record.work(30 * us);
  record.force(first, 8, 1);
  record.work(20 * us);
  record.end(8);
  record.force(second, 8, 1);
  record.work(40 * us);
  record.cut_short();
  EXPECT_EQ(why_cut(), "it is cut short");
  const auto read = read_recording(file_);
  EXPECT_EQ(read.tasks.size(), 3U);
  EXPECT_EQ(read.not_needed, 1U);
  EXPECT_EQ(totals(read).work, 90 * us);
  EXPECT_EQ(told(read, 0), "work:20");
  EXPECT_EQ(told(read, 1), "work:40") << "it had not ended";
  EXPECT_EQ(read.functions, (std::vector<std::string>{"root", "f"}));
}

TEST_F(RecordingTest, WhoseSharedValuesAreCutOffSaysSo) {
  graph([](Record& record) {
    const auto task = record.par();
    const auto value = record.share(5'000);
    record.work(30 * us);
    record.force(task, 8);
    record.refer(value);
    record.work(20 * us);
    record.end(8);
  });
  EXPECT_EQ(totals(read_recording(file_)).shared_bytes, 5'000U);
  constexpr auto of_end = 16, header = 16, of_values = 2;
  std::filesystem::resize_file(file_,
                               std::filesystem::file_size(file_) - of_end - 2 * header - of_values);
  EXPECT_EQ(why_cut(), "it is cut short, and what tasks share is lost");
}

// Names stand at the end.
TEST_F(RecordingTest, WhoseNamesAreCutOffHasFunctionsAllTheSame) {
  graph([](Record& record) {
    record.name("f");
    const auto task = record.par();
    record.work(30 * us);
    record.force(task, 8, 1);
    record.work(20 * us);
    record.end(8);
  });
  const auto whole = totals(read_recording(file_)).work;
  constexpr auto of_names = 2, of_end = 16, header = 16;
  const auto size = std::filesystem::file_size(file_);
  std::filesystem::resize_file(file_, size - of_end - header - of_names);
  EXPECT_EQ(why_cut(), "it is cut short");
  const auto read = read_recording(file_);
  EXPECT_EQ(totals(read).work, whole);
  EXPECT_EQ(read.functions, (std::vector<std::string>{"root", "function 1, whose name is lost"}));
}

TEST_F(RecordingTest, DamageIsOneLine) {
  graph([](Record& record) { record.work(50 * us); });
  const auto size = std::filesystem::file_size(file_);
  rewrite(size - 1, "\x7f");
  EXPECT_EQ(why_cut(), "this block is damaged");
  std::filesystem::resize_file(file_, size - 1);
  EXPECT_EQ(why_cut(), "it is cut short");
  rewrite(20, "XXXX");
  EXPECT_EQ(refusal(), "no block begins here");
  std::filesystem::resize_file(file_, 20);
  EXPECT_EQ(refusal(), "it is cut short");
  rewrite(0, "X");
  EXPECT_EQ(refusal(), "this is no recording");
  std::filesystem::resize_file(file_, 3);
  EXPECT_EQ(refusal(), "this is no recording");
}

// Names, sites and shared values stand behind what there was to do.
TEST_F(RecordingTest, IsWholeOrItIsSaid) {
  const auto write = [](Record& record) {
    record.name("f");
    record.site({});
    record.share(1000);
    record.work(50 * us);
  };
  graph(write);
  const auto size = std::filesystem::file_size(file_);
  for (auto left = size - 1; left > 0; --left) {
    std::filesystem::resize_file(file_, left);
    EXPECT_NE(trouble(), "") << left << " of " << size << " bytes";
  }
  for (std::size_t at = 0; at < size; ++at) {
    graph(write);
    std::ifstream in(file_, std::ios::binary);
    in.seekg(static_cast<std::streamoff>(at));
    rewrite(at, std::string(1, static_cast<char>(in.get() ^ 0x10)));
    EXPECT_NE(trouble(), "") << "byte " << at;
  }
  graph(write);
  std::ofstream(file_, std::ios::binary | std::ios::app) << "x";
  EXPECT_EQ(refusal(), "something is behind its end");
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
