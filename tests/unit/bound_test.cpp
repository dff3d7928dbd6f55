// The bound: no schedule of small graphs is faster, of all that there are; and it is not far off.
#include "profiles/replay/bound.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "profiles/replay/generate.hpp"
#include "profiles/replay/links.hpp"
#include "rts/heap/collect.hpp"
#include "tests/unit/random_recording.hpp"

namespace {

using replay::Bound;
using replay::Graph;
using replay::Nanos;
using replay::Number;
using replay::reach_of;
using replay::Step;
using trawl::fabric::GridFile;
using trawl::test::random_graph;
using trawl::trace::Record;

/// What occupies a PE or a link, and what must be done before.
struct Job {
  std::vector<std::size_t> after;
  std::size_t on;
  double takes;
  double late = 0;  ///< so much later others see that it is done
};

/// The best of all orders in which jobs can be done, by trying all.
class Exhaustive {
 public:
  explicit Exhaustive(std::vector<Job> jobs) : jobs_(std::move(jobs)), end_(jobs_.size(), -1) {
    for (const auto& job : jobs_)
      if (job.on >= free_.size()) free_.resize(job.on + 1);
  }

  double best(double known = 1e98) {
    best_ = known;
    place(0, 0, 0);
    return best_;
  }

 private:
  /// By the time at which they begin.
  void place(std::size_t placed, double last, double latest) {
    if (latest >= best_) return;
    if (placed == jobs_.size()) {
      best_ = latest;
      return;
    }
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      if (end_[i] >= 0) continue;
      const auto& job = jobs_[i];
      auto& free = free_[job.on];
      auto begin = free;
      for (const auto before : job.after)
        begin = end_[before] < 0 ? 1e99 : std::max(begin, end_[before] + jobs_[before].late);
      if (begin < last || begin > 1e98) continue;
      const auto was_free = free;
      end_[i] = free = begin + job.takes;
      place(placed + 1, begin, std::max(latest, end_[i] + job.late));
      free = was_free;
      end_[i] = -1;
    }
  }

  std::vector<Job> jobs_;
  std::vector<double> end_;
  std::vector<double> free_;
  double best_ = 0;
};

/// A graph on a grid, as it is when it is settled which PE evaluates which task.
class Placed {
 public:
  Placed(const Graph& graph, const GridFile& grid, const std::vector<int>& pe)
      : graph_(graph), grid_(grid), pe_(pe), begun_(graph.tasks.size()) {
    task(graph.root(), {});
  }
  std::vector<Job> jobs;

 private:
  using Jobs = std::vector<std::size_t>;
  struct Begun {
    Number by = 0;
    Jobs before{};
  };

  /// Returns what it ends with.
  Jobs task(Number number, Jobs before) {
    const auto& t = graph_.tasks[number];
    for (auto at = t.first; at < t.first + t.ops; ++at) {
      const auto op = graph_.ops[at];
      switch (op.step()) {
        case Step::work:
          before = {add(number, op.time(), before)};
          break;
        case Step::spawn:
        case Step::par:
        case Step::place:
          begun_[op.task()] = {number, before};
          break;
        case Step::use:
          break;
        case Step::eval:
          before = task(op.task(), before);
          break;
        case Step::sync:
        case Step::force:
          const auto& needed = graph_.tasks[op.task()];
          const auto& [by, begun] = begun_[op.task()];
          const auto result = task(op.task(), sent(by, op.task(), needed.arguments, begun));
          for (const auto job : sent(op.task(), number, needed.result, result))
            before.push_back(job);
      }
    }
    return before;
  }

  int cluster(Number task) const { return grid_.cluster_of(pe_[task]); }

  std::size_t add(Number task, Nanos work, const Jobs& before) {
    const auto& its = grid_.clusters[static_cast<std::size_t>(cluster(task))];
    jobs.push_back({before, static_cast<std::size_t>(pe_[task]),
                    static_cast<double>(work) * 1e-9 / its.speed});
    return jobs.size() - 1;
  }

  Jobs sent(Number from, Number to, std::uint64_t bytes, const Jobs& before) {
    const int a = cluster(from);
    const int b = cluster(to);
    if (a == b) return before;
    const auto& line = grid_.link(a, b).line;
    const auto link = grid_.pes() + a * static_cast<int>(grid_.clusters.size()) + b;
    jobs.push_back({before, static_cast<std::size_t>(link),
                    static_cast<double>(bytes) * 1e-9 / line.bytes_per_nano,
                    static_cast<double>(line.latency) * 1e-9});
    return {jobs.size() - 1};
  }

  const Graph& graph_;
  const GridFile& grid_;
  const std::vector<int>& pe_;
  std::vector<Begun> begun_;
};

/// The best that there is, with each task on each PE.
class Best {
 public:
  Best(const Graph& graph, const GridFile& grid)
      : graph_(graph), grid_(grid), pe_(graph.tasks.size()) {
    for (const auto& op : graph.ops)
      if (op.step() == Step::eval) evaluated_.push_back(op.task());
  }

  double seconds() {
    place(graph_.root());
    return best_;
  }

 private:
  /// From the root down: what is evaluated at once is where it was made.
  void place(Number task) {
    const auto& t = graph_.tasks[task];
    for (auto at = t.first; at < t.first + t.ops; ++at)
      if (graph_.ops[at].step() == Step::eval) pe_[graph_.ops[at].task()] = pe_[task];
    if (task == 0) {
      best_ = Exhaustive(Placed(graph_, grid_, pe_).jobs).best(best_);
      return;
    }
    const auto next = task - 1;
    if (std::find(evaluated_.begin(), evaluated_.end(), next) != evaluated_.end())
      return place(next);
    for (int pe = 0; pe < grid_.pes(); ++pe) {
      pe_[next] = pe;
      place(next);
    }
  }

  const Graph& graph_;
  const GridFile& grid_;
  std::vector<Number> evaluated_{};
  std::vector<int> pe_;
  double best_ = 1e98;
};

GridFile grid(const std::string& clusters, const std::string& more) {
  return trawl::fabric::parse_grid(R"({"clusters": [)" + clusters + "]" + more + "}", "grid");
}

GridFile one_by_one(double first, double second, const std::string& between) {
  return grid(R"({"name": "1", "pes": 1, "speed": )" + std::to_string(first) +
                  R"(}, {"name": "2", "pes": 1, "speed": )" + std::to_string(second) + "}",
              R"(, "between": )" + between);
}

/// The root offers so many calls, all alike.
Graph fan(std::size_t calls, Nanos work, std::uint64_t arguments, std::uint64_t result) {
  return trawl::test::recorded([&](Record& record) {
    std::vector<std::uint64_t> spawned(calls);
    for (auto& call : spawned) call = record.spawn();
    for (; !spawned.empty(); spawned.pop_back()) {
      record.sync(spawned.back(), arguments);
      record.work(work);
      record.end(result);
    }
    record.work(1);
  });
}

double of_links(const Bound& bound) {
  return std::max(bound.arguments.seconds, bound.results.seconds);
}

TEST(Bound, NoScheduleIsFaster) {
  const std::vector<GridFile> grids{
      grid(R"({"name": "1", "pes": 1})", ""),
      grid(R"({"name": "1", "pes": 2})", ""),
      one_by_one(1, 1, R"({"latency": "0 us", "bandwidth": "1 GB/s"})"),
      one_by_one(0.5, 2, R"({"latency": "10 us", "bandwidth": "20 MB/s"})"),
      one_by_one(1, 4, R"({"latency": "1 us", "bandwidth": "50 MB/s"})"),
      grid(R"({"name": "1", "pes": 1}, {"name": "2", "pes": 2, "speed": 0.7})",
           R"(, "between": {"latency": "5 us", "bandwidth": "100 MB/s"}, "links":
                [{"from": "1", "to": "2", "bandwidth": "30 MB/s"}])"),
      grid(R"({"name": "1", "pes": 1, "speed": 0.3}, {"name": "2", "pes": 1},
              {"name": "3", "pes": 1, "speed": 2})",
           R"(, "between": {"latency": "2 us", "bandwidth": "100 MB/s"}, "links":
                [{"between": ["1", "3"], "bandwidth": "5 MB/s"}])")};
  int checked = 0;
  int tight = 0;
  int by_links = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const auto graph = random_graph(seed, 4);
    if (graph.ops.size() > 14) continue;
    for (const auto& its : grids) {
      const auto least = bound(graph, reach_of(its));
      const auto best = Best(graph, its).seconds();
      EXPECT_LE(least.seconds(), best * (1 + 1e-9))
          << "seed " << seed << ", grid " << &its - grids.data();
      ++checked;
      tight += least.seconds() > best * 0.99;
      by_links += of_links(least) > 1.01 * std::max({least.work, least.path, least.between});
    }
  }
  EXPECT_GT(checked, 500);
  EXPECT_GT(tight, checked / 3);
  EXPECT_GT(by_links, 20);
}

// The far PE is so fast that what comes over the link in time counts alone: half of the work.
TEST(Bound, WhatCrossesALinkIsTheLargest) {
  for (const bool home : {false, true}) {
    const auto slow_one = home ? R"("from": "2", "to": "1")" : R"("from": "1", "to": "2")";
    const auto slow = one_by_one(1, 1000,
                                 R"({"latency": "0 us", "bandwidth": "1 GB/s"}, "links": [{)" +
                                     std::string(slow_one) + R"(, "bandwidth": "1 MB/s"}])");
    const auto graph = fan(4, 1'000'000, home ? 1 : 1000, home ? 1000 : 1);
    const auto least = bound(graph, reach_of(slow));
    const auto& [slowest, other] = home ? std::pair(least.results, least.arguments)
                                        : std::pair(least.arguments, least.results);
    EXPECT_NEAR(slowest.seconds, 0.002, 0.00002);
    EXPECT_NEAR(slowest.bytes, 2000, 20);
    EXPECT_EQ(slowest.far, std::vector<std::size_t>{1});
    EXPECT_LT(std::max({other.seconds, least.work, least.path}), 0.0011);
    const auto best = Best(graph, slow).seconds();
    EXPECT_LE(least.seconds(), best);
    EXPECT_GE(least.seconds(), 0.99 * best);
  }
}

TEST(Bound, LinksAreCutWhereTheyAreSlow) {
  // 3 and 4 are behind slow links both; what is sent by 2 is no help.
  const auto four = grid(
      R"({"name": "1", "pes": 1}, {"name": "2", "pes": 1}, {"name": "3", "pes": 1},
         {"name": "4", "pes": 1})",
      R"(, "between": {"latency": "0 us", "bandwidth": "1 KB/s"}, "links":
           [{"between": ["1", "2"], "bandwidth": "1 GB/s"},
            {"between": ["3", "4"], "bandwidth": "1 GB/s"}])");
  const auto least = bound(fan(100, 1'000'000, 100, 0), reach_of(four));
  EXPECT_EQ(least.arguments.far, (std::vector<std::size_t>{2, 3}));
  EXPECT_GT(least.arguments.seconds, 1.7 * least.work);
  EXPECT_LE(least.arguments.seconds, 2 * least.work);
}

TEST(Bound, OfManyClustersOneCutIsLookedAt) {
  std::string clusters;
  for (int i = 1; i <= 200; ++i)
    clusters += (i > 1 ? ", " : "") + (R"({"name": ")" + std::to_string(i)) + R"(", "pes": 1})";
  const auto far = grid(clusters, R"(, "between": {"latency": "0 us", "bandwidth": "10 B/s"})");
  const auto least = bound(fan(100, 1'000'000, 100, 0), reach_of(far));
  EXPECT_GT(least.arguments.seconds, 50 * least.work);
  EXPECT_EQ(least.arguments.far.size(), 199U);
  EXPECT_EQ(least.arguments.far.front(), 1U);
}

TEST(Bound, WhatIsSequentialAtTheEndsIsNotDoneMeanwhile) {
  const auto graph = trawl::test::recorded([](Record& record) {
    record.work(1'000'000);
    std::vector<std::uint64_t> spawned(10);
    for (auto& call : spawned) call = record.spawn();
    for (; !spawned.empty(); spawned.pop_back()) {
      record.sync(spawned.back(), 0);
      record.work(1'000'000);
      record.end(0);
    }
    record.eval(0);
    record.work(1'000'000);
    record.end(0);
  });
  const auto least = bound(graph, reach_of(std::vector<double>{1, 1}));
  EXPECT_NEAR(least.work, 0.006, 1e-9);
  EXPECT_NEAR(least.between, 0.007, 0.0001);
  EXPECT_LE(least.between, 0.007);
  EXPECT_NEAR(bound(graph, reach_of(std::vector<double>{2, 2})).between, 0.0035, 0.00005);
}

/// By trying all sets of tasks.
double most_gain(const Graph& graph, replay::Sent sent, double price) {
  const auto n = graph.tasks.size();
  const bool out = sent == replay::Sent::arguments;
  std::vector<Number> over(n, static_cast<Number>(n));
  std::vector<bool> given_away(n, true);
  given_away[graph.root()] = false;
  std::vector<double> own(n);
  for (Number task = 0; task < n; ++task) {
    const auto& t = graph.tasks[task];
    for (auto at = t.first; at < t.first + t.ops; ++at) {
      const auto op = graph.ops[at];
      const auto step = op.step();
      if (step == Step::work) {
        own[task] += static_cast<double>(op.time()) * 1e-9;
      } else if (step == Step::eval) {
        over[op.task()] = task;
        given_away[op.task()] = false;
      } else if ((step == Step::spawn || step == Step::par) == out) {
        over[op.task()] = task;
      }
    }
  }
  double most = 0;
  for (unsigned set = 0; set < 1U << n; ++set) {
    double gain = 0;
    bool can_be = true;
    for (Number task = 0; task < n; ++task) {
      int chosen = 0;
      for (auto at = task; at < n; at = over[at]) chosen += (set >> at & 1U) != 0;
      can_be = can_be && chosen <= 1 && (given_away[task] || (set >> task & 1U) == 0);
      if (chosen != 0) gain += own[task];
      if ((set >> task & 1U) != 0)
        gain -= price * (out ? graph.tasks[task].arguments : graph.tasks[task].result);
    }
    if (can_be) most = std::max(most, gain);
  }
  return most;
}

TEST(Gains, AreTheMostOfAllChoices) {
  const std::vector<double> prices{0, 1e-9, 1e-8, 1e-7, 1e-6, 1e-3};
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto graph = random_graph(seed, 6);
    if (graph.tasks.size() > 10) continue;
    for (const auto sent : {replay::Sent::arguments, replay::Sent::results}) {
      const auto found = gains(graph, sent, prices);
      for (std::size_t i = 0; i < prices.size(); ++i)
        EXPECT_NEAR(found[i], most_gain(graph, sent, prices[i]), 1e-12) << "seed " << seed;
    }
  }
}

TEST(Gains, OfAGeneratedTreeAreThoseOfItsGraph) {
  const auto slow = one_by_one(1, 1, R"({"latency": "0 us", "bandwidth": "4 KB/s"})");
  const auto graph = fan(100, 1'000'000, 16, 8);
  const replay::Shape shape{.tree = replay::Tree::flat, .children = 100, .work = 1'000'000};
  const auto of_graph = bound(graph, reach_of(slow));
  const auto of_shape = bound(shape, reach_of(slow));
  EXPECT_GT(of_graph.arguments.seconds, 1.2 * of_graph.work);
  EXPECT_GT(of_graph.results.seconds, 1.2 * of_graph.work);
  EXPECT_NEAR(of_shape.arguments.seconds, of_graph.arguments.seconds, 1e-6);
  EXPECT_NEAR(of_shape.results.seconds, of_graph.results.seconds, 1e-6);
  EXPECT_NEAR(of_shape.work, of_graph.work, 1e-6);
}

TEST(Bound, FarClustersWorkWhileTheyCanBeReached) {
  replay::Totals totals;
  totals.work = 10'000'000'000;
  totals.critical_path = 3'000'000'000;
  EXPECT_DOUBLE_EQ(bound(totals, reach_of(std::vector<double>{1, 1})).seconds(), 5);
  EXPECT_DOUBLE_EQ(bound(totals, reach_of(std::vector<double>(100, 1.5))).seconds(), 2);
  const auto far = one_by_one(1, 1, R"({"latency": "500 ms", "bandwidth": "1 GB/s"})");
  EXPECT_DOUBLE_EQ(bound(totals, reach_of(far)).work, 5.5);
  EXPECT_DOUBLE_EQ(bound(totals, reach_of(far)).path, 3);
  const auto fast = one_by_one(1, 3, R"({"latency": "500 ms", "bandwidth": "1 GB/s"})");
  EXPECT_DOUBLE_EQ(bound(totals, reach_of(fast)).path, 2);
  const auto too_far = one_by_one(1, 3, R"({"latency": "100 s", "bandwidth": "1 GB/s"})");
  EXPECT_DOUBLE_EQ(bound(totals, reach_of(too_far)).seconds(), 10);
}

TEST(Reach, IsTheBestThatAGridEverIs) {
  const auto changing = grid(
      R"({"name": "1", "pes": 2, "workers": 3}, {"name": "2", "pes": 2}, {"name": "3", "pes": 1})",
      R"(, "between": {"latency": "10 ms", "bandwidth": "1 KB/s"},
         "links": [{"from": "1", "to": "2", "changes":
                      [{"at": "1 s", "latency": "5 ms"}, {"at": "2 s", "bandwidth": "3 KB/s"}]},
                   {"from": "2", "to": "1", "latency": "100 ms"},
                   {"from": "1", "to": "3", "missing": true}],
         "random_changes": {"every": "1 s", "bandwidth": [0.5, 2], "latency": [0.5, 3]},
         "speed_changes": [{"pe": 0, "at": "0 s", "speed": 0.5}, {"pe": 2, "at": "1 s", "speed": 4},
                           {"pe": 3, "at": "1 s", "speed": 0.1}])");
  const auto reach = reach_of(changing);
  EXPECT_DOUBLE_EQ(reach.clusters[0].speed, 4.5);
  EXPECT_DOUBLE_EQ(reach.clusters[0].fastest, 1);
  EXPECT_DOUBLE_EQ(reach.clusters[1].speed, 5);
  EXPECT_DOUBLE_EQ(reach.clusters[1].fastest, 4);
  EXPECT_DOUBLE_EQ(reach.between(0, 1), 6000);
  EXPECT_DOUBLE_EQ(reach.between(1, 0), 2000);
  EXPECT_DOUBLE_EQ(reach.between(0, 2), 0);
  // There directly, back by way of 3; to 3 by way of 2.
  EXPECT_DOUBLE_EQ(reach.clusters[1].away, 0.0025 + 0.01);
  EXPECT_DOUBLE_EQ(reach.clusters[2].away, 0.0075 + 0.005);
}

TEST(Reach, OfManyClustersTakesLittleMemory) {
  std::string clusters;
  for (int i = 0; i < 5000; ++i)
    clusters += (i == 0 ? "" : ", ") + (R"({"name": ")" + std::to_string(i)) + R"(", "pes": 1})";
  const auto many = grid(clusters, R"(, "between": {"latency": "1 ms", "bandwidth": "1 MB/s"},
                                        "links": [{"from": "7", "to": "0", "bandwidth": "1 KB/s"}])");
  const auto before = trawl::heap::collector_statistics().heap_bytes;
  const auto reach = reach_of(many);
  EXPECT_LT(trawl::heap::collector_statistics().heap_bytes, before + (100U << 20U));
  EXPECT_DOUBLE_EQ(reach.between(0, 7), 1e6);
  EXPECT_DOUBLE_EQ(reach.between(7, 0), 1e3);
  EXPECT_DOUBLE_EQ(turned(reach).between(0, 7), 1e3);
}

}  // namespace
