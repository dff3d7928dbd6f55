// Recordings of programs: what one does is what is in its recording.
#include <algorithm>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/dist.hpp>
#include <trawl/trawl.hpp>
#include <unistd.h>

#include "profiles/replay/read_recording.hpp"
#include "rts/host/clocks.hpp"
#include "rts/simulate.hpp"
#include "tests/unit/units.hpp"

namespace replay {
namespace {

using trawl::processor_time;
using trawl::us;

class RecorderTest : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(file_); }

  /// What a program leaves, on a PE of its own.
  Graph graph_of(const std::function<void()>& root) {
    trawl::Simulation::Config config;
    config.options.record = file_;
    trawl::Simulation simulation(config);
    simulation.run(root);
    simulation.finish(0);
    return read_recording(file_);
  }

 private:
  std::string file_ =
      (std::filesystem::path(testing::TempDir()) / ("trawl_recorder_" + std::to_string(getpid())))
          .string();
};

/// Takes the processor's time.
void spin(Nanos time) {
  for (const auto end = processor_time() + time; processor_time() < end;) {
  }
}

long tree(int depth) {
  spin(30 * us);
  if (depth == 0) return 1;
  auto x = trawl::spawn<tree>(depth - 1);
  const long y = tree(depth - 1);
  return x.sync() + y;
}

TEST_F(RecorderTest, SpawnAndSync) {
  Nanos took = 0;
  const auto read = graph_of([&took] {
    const auto begun = processor_time();
    EXPECT_EQ(tree(6), 64);
    took = processor_time() - begun;
  });
  const auto sums = totals(read);
  EXPECT_EQ(sums.tasks, 63U);
  EXPECT_EQ(sums.sparks, 63U);
  EXPECT_GT(sums.work, 127 * 29 * us);
  EXPECT_LT(sums.work, took + took / 10);
  EXPECT_GT(sums.critical_path, 7 * 29 * us);
  EXPECT_GT(sums.work - sums.critical_path, (127 - 7) * 29 * us);
  EXPECT_EQ(sums.argument_bytes, 63 * sizeof(int));
  EXPECT_EQ(sums.result_bytes, 63 * sizeof(long));
}

std::vector<long> numbers(long n) {
  spin(50 * us);
  return std::vector<long>(static_cast<std::size_t>(n), n);
}

TEST_F(RecorderTest, ParAndForce) {
  const auto read = graph_of([] {
    auto lists = trawl::lazy_map<numbers>(std::vector<long>{10, 20, 30});
    trawl::apply(lists, trawl::par_list(trawl::rseq));
    const auto alone = trawl::lazy<numbers>(5);
    for (const auto& list : lists) EXPECT_EQ(trawl::force(list).front(), trawl::force(list).back());
    EXPECT_EQ(trawl::force(alone).size(), 5U);
    trawl::par(trawl::lazy<numbers>(7));
  });
  ASSERT_EQ(read.tasks.size(), 5U);
  EXPECT_EQ(read.not_needed, 1U);
  std::vector<Step> steps;
  for (const Op op : read.ops)
    if (op.step() != Step::work) steps.push_back(op.step());
  EXPECT_EQ(steps, (std::vector{Step::par, Step::par, Step::par, Step::force, Step::force,
                                Step::force, Step::eval}));
  for (Number i = 0; i < 3; ++i) EXPECT_GE(read.tasks[i].result, 10U * (i + 1) * sizeof(long));
}

long sum_of(const trawl::Lazy<std::vector<long>>& some) {
  spin(20 * us);
  return trawl::force(some).back();
}

// What tasks have given is on its way as their results already.
TEST_F(RecorderTest, SharedValuesAreNoResults) {
  const auto read = graph_of([] {
    const trawl::Lazy<std::vector<long>> shared(std::vector<long>(1000, 1));
    const trawl::Lazy<std::vector<long>> small(std::vector<long>(10, 1));
    const auto result = trawl::lazy<numbers>(1000);
    EXPECT_EQ(trawl::force(result).size(), 1000U);
    for (int i = 0; i < 3; ++i)
      for (const auto& some : {shared, small, result})
        trawl::force(trawl::par(trawl::lazy<sum_of>(some)));
  });
  ASSERT_EQ(read.values.size(), 1U);
  EXPECT_GE(read.values[0], 1000 * sizeof(long));
  EXPECT_LE(read.values[0], 1010 * sizeof(long));
  EXPECT_EQ(read.makes.at(read.root()), Values{0});
  EXPECT_EQ(std::count_if(read.tasks.begin(), read.tasks.end(),
                          [](const auto& task) { return task.given != 0; }),
            3);
}

double half(std::size_t i) {
  return 0.5 * static_cast<double>(i);
}
double twice(double x) {
  return 2 * x;
}
double plus(double x, double y) {
  return x + y;
}

// Its shards are placed, use those that they were made of, and keep their elements.
TEST_F(RecorderTest, Skeletons) {
  constexpr std::size_t n = 100'000;
  const auto read = graph_of([] {
    const auto twos = trawl::map<twice>(trawl::generate<half>(n));
    EXPECT_EQ(trawl::force(trawl::reduce<twice, plus>(twos)), 1.0 * n * (n - 1));
  });
  std::uint64_t kept = 0;
  std::vector<std::string> users;
  for (const auto& task : read.tasks) {
    kept += task.kept;
    for (auto at = task.first; at < task.first + task.ops; ++at)
      if (read.ops[at].step() == Step::use && read.tasks[read.ops[at].task()].kept != 0)
        users.push_back(read.functions[task.function]);
  }
  EXPECT_GE(kept, 2 * n * sizeof(double));
  EXPECT_LE(kept, 2 * n * sizeof(double) + 100'000);
  EXPECT_GT(users.size(), 3U);  // those of map; those of reduce have forced what they use
  EXPECT_EQ(std::count(users.begin(), users.end(), users.front()), users.size());
  EXPECT_NE(users.front().find("map_shard"), std::string::npos) << users.front();
  EXPECT_EQ(read.unrouted, 0U);
  EXPECT_EQ(totals(read).sparks, 0U);
}

long sparks_more(long n) {
  spin(20 * us);
  const auto more = trawl::par(trawl::lazy<tree>(0));
  auto unneeded = trawl::spawn<tree>(1);
  return n + trawl::force(more);
}

TEST_F(RecorderTest, ExceptionsAndWhatIsWithdrawn) {
  const auto read = graph_of([] {
    auto x = trawl::spawn<sparks_more>(1);
    auto y = trawl::spawn(
        [](long) -> long {
          spin(20 * us);
          throw std::runtime_error("never mind");
        },
        1);
    EXPECT_THROW(y.sync(), std::runtime_error);
    EXPECT_EQ(x.sync(), 2);
  });
  EXPECT_EQ(read.tasks.size(), 4U);
  EXPECT_EQ(read.not_needed, 1U);
}

long itself(long n) {
  return n;
}

// More than find room in a spark pool.
TEST_F(RecorderTest, LongListsAreFlat) {
  const auto read = graph_of([] {
    auto list = trawl::lazy_map<itself>(std::vector<long>(20'000, 1));
    trawl::apply(list, trawl::par_list(trawl::rseq));
    long sum = 0;
    for (const auto& each : list) sum += trawl::force(each);
    EXPECT_EQ(sum, 20'000);
  });
  EXPECT_EQ(totals(read).sparks, 20'000U);
}

}  // namespace
}  // namespace replay
