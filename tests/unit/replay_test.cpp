// Replaying: every task is evaluated with its arguments and results, on any number of PEs; and no
// schedule is faster than the bound.
#include "profiles/replay/replay.hpp"

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "profiles/replay/bound.hpp"
#include "profiles/replay/generate.hpp"
#include "profiles/replay/read_recording.hpp"
#include "rts/simulate.hpp"
#include "rts/trace/record.hpp"

namespace {

using replay::Graph;
using replay::Nanos;
using replay::Number;
using replay::Step;
using trawl::Simulation;
using trawl::trace::Record;

/// Writes a run of a program that nobody wrote.
class RandomRun {
 public:
  RandomRun(Record& record, std::uint64_t seed, int tasks, Nanos work)
      : record_(record), random_(seed), left_(tasks), work_(work) {}

  void task(int depth) {
    std::vector<std::uint64_t> calls;
    for (auto steps = 1 + below(6); steps > 0; --steps) {
      record_.work(1 + static_cast<Nanos>(below(static_cast<std::size_t>(work_))));
      if (left_ <= 0) continue;
      switch (below(4)) {
        case 0:
          --left_;
          calls.push_back(record_.spawn());
          break;
        case 1:
          --left_;
          sparks_.push_back(record_.par());
          break;
        case 2:
          if (depth == 0) break;
          --left_;
          record_.eval(bytes());
          task(depth - 1);
          break;
        default:
          if (depth == 0 || sparks_.empty()) break;
          record_.force(any_of(sparks_), bytes());
          task(depth - 1);
      }
    }
    while (!calls.empty()) {
      record_.sync(any_of(calls), bytes());
      task(std::max(0, depth - 1));
    }
    if (depth != deepest) record_.end(bytes());
  }

  static constexpr int deepest = 12;

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  std::uint64_t bytes() { return below(3) == 0 ? below(5000) : below(64); }
  std::uint64_t any_of(std::vector<std::uint64_t>& some) {
    std::swap(some[below(some.size())], some.back());
    const auto one = some.back();
    some.pop_back();
    return one;
  }

  Record& record_;
  std::mt19937_64 random_;
  int left_;
  Nanos work_;
  std::vector<std::uint64_t> sparks_;
};

Graph random_graph(std::uint64_t seed, int tasks, Nanos work = 100'000) {
  const auto file =
      (std::filesystem::path(testing::TempDir()) / ("trawl_replay_" + std::to_string(getpid())))
          .string();
  Record record(file, "random");
  RandomRun(record, seed, tasks, work).task(RandomRun::deepest);
  record.close();
  auto graph = replay::read_recording(file);
  std::filesystem::remove(file);
  return graph;
}

class Replay : public testing::TestWithParam<int> {
 protected:
  static std::uint64_t simulated(std::uint64_t (*program)()) {
    Simulation::Config config;
    config.net.pes = GetParam();
    Simulation simulation(config);
    std::uint64_t sum = 0;
    simulation.run([&] { sum = program(); });
    simulation.settle();
    time_ = simulation.now();
    return sum;
  }

  static inline Nanos time_;
};

TEST_P(Replay, EveryTaskIsEvaluated) {
  int with_passed = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    auto graph = random_graph(seed, 100);
    with_passed += !graph.passed.empty();
    replay::set_graph(std::move(graph), {});
    EXPECT_EQ(simulated(replay::replay_graph), replay::expected_sum()) << "seed " << seed;
  }
  EXPECT_GT(with_passed, 10);
}

TEST_P(Replay, WorkAndBytesAreScaled) {
  const auto graph = random_graph(3, 300);
  replay::set_graph(graph, {0.5, 3});
  EXPECT_EQ(simulated(replay::replay_graph), replay::expected_sum());
  const auto work = totals(graph).work;
  if (GetParam() == 1) {
    EXPECT_GE(time_, work / 2);
    EXPECT_LE(time_, work / 2 + work / 10);
  }
  const auto sum = replay::expected_sum();
  replay::set_graph(graph, {});
  EXPECT_NE(replay::expected_sum(), sum);  // other bytes are another sum
}

TEST_P(Replay, GeneratedTrees) {
  using replay::Tree;
  const std::vector<replay::Shape> shapes{
      {.tree = Tree::flat, .children = 3000, .work = 1000},
      {.tree = Tree::divide, .depth = 8, .children = 2, .work = 20'000, .spread = 0.9},
      {.tree = Tree::geometric, .depth = 5, .children = 4, .work = 5000, .seed = 7},
      {.tree = Tree::binomial,
       .children = 8,
       .roots = 50,
       .probability = 0.1,
       .work = 5000,
       .spread = 0.5}};
  for (const auto& shape : shapes) {
    const auto expected = replay::measure(shape);
    replay::set_shape(shape);
    EXPECT_EQ(simulated(replay::grow), expected.sum);
    if (GetParam() == 1) {
      EXPECT_GE(time_, expected.totals.work);
    }
    const std::vector<double> speeds(static_cast<std::size_t>(GetParam()), 1.0);
    EXPECT_GE(static_cast<double>(time_) * 1e-9, bound(expected.totals, speeds).seconds());
  }
}

INSTANTIATE_TEST_SUITE_P(Pes, Replay, testing::Values(1, 2, 4));

// ---- the bound ---------------------------------------------------------------------------------

/// Pieces of work, and which must be done before.
struct Piece {
  Nanos work;
  std::vector<std::size_t> after;
};

/// The graph without its tasks: who works next is up to a schedule.
class Pieces {
 public:
  explicit Pieces(const Graph& graph) : graph_(graph), begin_(graph.tasks.size(), nobody) {
    task(graph.root(), nobody);
  }
  std::vector<Piece> all;

 private:
  static constexpr std::size_t nobody = ~std::size_t{0};

  /// Returns the last piece.
  std::size_t task(Number number, std::size_t before) {
    const auto& t = graph_.tasks[number];
    for (auto at = t.first; at < t.first + t.ops; ++at) {
      const auto op = graph_.ops[at];
      switch (op.step()) {
        case Step::work:
          before = add(op.time(), before, nobody);
          break;
        case Step::spawn:
        case Step::par:
          begin_[op.task()] = before;
          break;
        case Step::eval:
          before = task(op.task(), before);
          break;
        case Step::sync:
        case Step::force:
          before = add(0, before, task(op.task(), begin_[op.task()]));
      }
    }
    return before;
  }

  std::size_t add(Nanos work, std::size_t a, std::size_t b) {
    Piece piece{work, {}};
    for (const auto before : {a, b})
      if (before != nobody) piece.after.push_back(before);
    all.push_back(piece);
    return all.size() - 1;
  }

  const Graph& graph_;
  std::vector<std::size_t> begin_;
};

/// The best of all schedules of which no PE waits while there is a piece that it could take, or
/// leaves it for others: by trying all.
class Exhaustive {
 public:
  Exhaustive(std::vector<Piece> pieces, std::vector<double> speeds)
      : pieces_(std::move(pieces)),
        speeds_(std::move(speeds)),
        end_(pieces_.size(), -1),
        free_(speeds_.size(), 0) {}

  double best() {
    place(0, 0);
    return best_;
  }

 private:
  void place(std::size_t placed, double latest) {
    if (latest >= best_) return;
    if (placed == pieces_.size()) {
      best_ = latest;
      return;
    }
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      if (end_[i] >= 0) continue;
      double ready = 0;
      for (const auto before : pieces_[i].after)
        ready = end_[before] < 0 ? 1e99 : std::max(ready, end_[before]);
      if (ready > 1e98) continue;
      for (std::size_t pe = 0; pe < speeds_.size(); ++pe) {
        const auto was_free = free_[pe];
        end_[i] =
            std::max(ready, was_free) + static_cast<double>(pieces_[i].work) * 1e-9 / speeds_[pe];
        free_[pe] = end_[i];
        place(placed + 1, std::max(latest, end_[i]));
        free_[pe] = was_free;
        end_[i] = -1;
      }
    }
  }

  std::vector<Piece> pieces_;
  std::vector<double> speeds_;
  std::vector<double> end_;
  std::vector<double> free_;
  double best_ = 1e98;
};

TEST(Bound, NoScheduleIsFaster) {
  int tight = 0;
  int checked = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const auto graph = random_graph(seed, 3);
    const Pieces pieces(graph);
    if (pieces.all.size() > 8) continue;
    for (const auto& speeds : {std::vector<double>{1}, {1, 1}, {2, 0.5}}) {
      const auto least = bound(totals(graph), speeds).seconds();
      const auto best = Exhaustive(pieces.all, speeds).best();
      EXPECT_LE(least, best * (1 + 1e-9)) << "seed " << seed;
      tight += least > best * 0.999;
      ++checked;
    }
  }
  EXPECT_GT(checked, 100);
  EXPECT_GT(tight, checked / 3);
}

TEST(Bound, IsTheLargestOfThree) {
  replay::Totals totals;
  totals.work = 10'000'000'000;
  totals.critical_path = 3'000'000'000;
  EXPECT_DOUBLE_EQ(bound(totals, std::vector<double>{1, 1}).seconds(), 5);
  EXPECT_DOUBLE_EQ(bound(totals, std::vector<double>(100, 1.5)).seconds(), 2);
  EXPECT_DOUBLE_EQ(bound(totals, std::vector<double>(100, 1.5), 0.5).seconds(), 2.5);
  const std::vector<replay::Crossing> links{{1000, 1000}, {6000, 1000}};
  EXPECT_DOUBLE_EQ(bound(totals, std::vector<double>{1, 1}, 0, links).seconds(), 6);
}

}  // namespace
