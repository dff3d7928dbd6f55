// Random task graphs on random grids: the right answer, and nothing left behind, whatever messages
// do.
//
// Everything follows from a seed. To repeat one run: TRAWL_TEST_GRID_SEED=n unit_tests
// --gtest_filter=Grid.*, or some: TRAWL_TEST_GRID_SEED=1-100.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "rts/simulate.hpp"
#include "tests/unit/grid_weights.hpp"
#include "tests/unit/random_graph.hpp"
#include "tests/unit/random_grid.hpp"

namespace trawl {
namespace {

using test::Answer;
using test::expect_weights_conserved;
using test::Random;
using test::random_grid;
using test::RandomGraph;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
const std::uint64_t graphs = 150;
#else
// (A collection at each allocation is the point of a torture, not the number of graphs.)
const std::uint64_t graphs = std::getenv("TRAWL_TEST_TORTURE") != nullptr ? 500 : 4000;
#endif

/// Looks at the tables of a PE whenever it sends something.
class TableWatch {
 public:
  explicit TableWatch(int pes) : loads_(square(pes), -1), latencies_(square(pes), -1) {}

  Simulation* simulation = nullptr;
  bool went_back = false;

  void look(int pe) {
    if (simulation == nullptr) return;
    const auto& tables = simulation->pe(pe).tables();
    for (int other = 0; other < tables.size(); ++other) {
      const auto at = static_cast<std::size_t>(pe) * static_cast<std::size_t>(tables.size()) +
                      static_cast<std::size_t>(other);
      follow(loads_[at], tables.load_of(other).measured);
      follow(latencies_[at], tables.latency_to(other).measured);
    }
  }

 private:
  static std::size_t square(int n) {
    return static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  }
  void follow(Nanos& last, Nanos now) {
    went_back = went_back || now < last;
    last = now;
  }

  std::vector<Nanos> loads_;
  std::vector<Nanos> latencies_;
};

// ---- what must hold when all is done -----------------------------------------------------------

void expect_nothing_is_left(Simulation& simulation) {
  for (int i = 0; i < simulation.size(); ++i) {
    SCOPED_TRACE("PE " + std::to_string(i));
    auto& pe = simulation.pe(i);
    EXPECT_EQ(pe.workers().live_threads(), 0u);
    EXPECT_EQ(pe.workers().blocked().size(), 0u);
    EXPECT_EQ(pe.shared_heap().blocking_queues(), 0u);
    EXPECT_EQ(pe.workers().load().sparks, 0u);
  }
}

std::size_t names_in_use(Simulation& simulation) {
  std::size_t sum = 0;
  for (int i = 0; i < simulation.size(); ++i) {
    const auto& addresses = simulation.pe(i).shared_heap().addresses();
    sum += addresses.slots() + addresses.proxies();
  }
  return sum;
}

/// All that must be the same when a run is repeated.
struct Record {
  Nanos end = 0;
  std::vector<Statistics> statistics;
  std::vector<int> evaluations;
  std::vector<Answer> answers;
  friend bool operator==(const Record&, const Record&) = default;
};

Statistics without_collector(Statistics statistics) {
  for (const auto count : {Count::gc_count, Count::gc_time, Count::heap_bytes, Count::live_bytes,
                           Count::allocated_bytes})
    statistics[static_cast<std::size_t>(count)] = 0;
  return statistics;
}

/// A chain of proxies dies link by link: each collection frees what the last one's FREE let go of.
// Of a chain of proxies each round takes one.
void collect_all(Simulation& simulation) {
  auto before = names_in_use(simulation);
  for (int in_vain = 0; in_vain < 10 && before != 0;) {
    heap::collect();
    simulation.sweep();
    simulation.settle();
    const auto after = names_in_use(simulation);
    in_vain = after < before ? 0 : in_vain + 1;
    before = after;
  }
}

struct Leftovers {
  std::size_t at_return = 0;
  std::size_t collected = 0;
};

// What one PE creates or sends another uses or receives.
void expect_statistics_add_up(Simulation& simulation, const std::vector<Statistics>& by_pe) {
  const auto sum = [&](std::initializer_list<Count> counts) {
    std::uint64_t all = 0;
    for (const auto& statistics : by_pe)
      for (const auto count : counts) all += statistics[static_cast<std::size_t>(count)];
    return all;
  };
  EXPECT_EQ(sum({Count::sparks_created}), sum({Count::sparks_converted, Count::sparks_subsumed,
                                               Count::sparks_fizzled, Count::sparks_ignored}));
  EXPECT_EQ(sum({Count::sparks_exported}), sum({Count::sparks_imported}));
  EXPECT_EQ(sum({Count::sparks_converted}) + 1, sum({Count::threads_created})) << "and the root";
  EXPECT_EQ(sum({Count::resume_sent}), sum({Count::resume_received}));
  EXPECT_EQ(sum({Count::packets_sent}), sum({Count::sparks_exported, Count::resume_sent}));
  EXPECT_GE(sum({Count::fetch_sent}), sum({Count::fetch_received}));
  EXPECT_LE(sum({Count::resume_sent}), sum({Count::fetch_sent, Count::sparks_exported}));
  std::uint64_t under_way = 0;
  for (int i = 0; i < simulation.size(); ++i) under_way += simulation.pe(i).fishing().outstanding();
  EXPECT_EQ(sum({Count::fish_sent}),
            sum({Count::fish_answered, Count::fish_home_empty}) + under_way);
}

// But for stragglers, of which each is evaluated a second time.
void expect_evaluated_once(const std::vector<int>& evaluations,
                           const std::vector<Statistics>& by_pe) {
  std::uint64_t backed_up = 0;
  for (const auto& statistics : by_pe)
    backed_up += statistics[static_cast<std::size_t>(Count::sparks_backed_up)];
  std::uint64_t more = 0;
  for (const int times : evaluations) more += static_cast<std::uint64_t>(std::max(times - 1, 0));
  EXPECT_LE(more, backed_up);
}

Record run(std::uint64_t seed, Leftovers* leftovers = nullptr) {
  Random random(seed);
  const RandomGraph graph(random);
  auto config = random_grid(random, seed);
  // Else guards keep names, as long as stale words keep proxies.
  if (leftovers != nullptr) config.options.recover = "off";
  TableWatch watch(config.net.pes);
  config.net.lose = [&watch](int from, int, std::span<const std::byte>) {
    watch.look(from);
    return false;
  };

  Simulation simulation(config);
  watch.simulation = &simulation;
  Record record;
  try {
    simulation.run([&] { record.answers = graph.evaluate(random); });
    simulation.settle();
  } catch (const std::exception& e) {
    ADD_FAILURE() << e.what();
    watch.simulation = nullptr;
    return record;
  }
  EXPECT_EQ(record.answers, graph.plain());
  const auto& evaluations = RandomGraph::evaluations();
  EXPECT_FALSE(watch.went_back);
  expect_nothing_is_left(simulation);
  expect_weights_conserved(simulation);
  record.end = simulation.now();
  record.evaluations = evaluations;
  for (int i = 0; i < simulation.size(); ++i)
    record.statistics.push_back(without_collector(simulation.pe(i).statistics()));
  expect_statistics_add_up(simulation, record.statistics);
  expect_evaluated_once(evaluations, record.statistics);
  if (leftovers != nullptr) {
    leftovers->at_return += names_in_use(simulation);
    collect_all(simulation);
    leftovers->collected += names_in_use(simulation);
    expect_weights_conserved(simulation);
  }
  EXPECT_EQ(simulation.finish(3).code, 3);
  return record;
}

template <class Each>
void for_each_seed(std::uint64_t how_many, Each each) {
  const auto [from, to] = test::seeds("TRAWL_TEST_GRID_SEED", how_many);
  for (auto seed = from; seed < to && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("TRAWL_TEST_GRID_SEED=" + std::to_string(seed));
    each(seed);
  }
}

TEST(Grid, AnswersAreRightAndNothingIsLeft) {
  Statistics sum{};
  for_each_seed(graphs, [&sum](std::uint64_t seed) {
    for (const auto& statistics : run(seed).statistics)
      for (std::size_t i = 0; i < counts; ++i) sum[i] += statistics[i];
  });
  if (std::getenv("TRAWL_TEST_GRID_SEED") != nullptr) return;
  // Were they graphs and grids where something happens?
  for (const auto count :
       {Count::sparks_exported, Count::fish_forwarded, Count::fish_home_empty,
        Count::fetch_received, Count::resume_received, Count::ack_sent, Count::threads_blocked,
        Count::sparks_subsumed, Count::sparks_fizzled, Count::sparks_ignored})
    EXPECT_GT(sum[static_cast<std::size_t>(count)], graphs / 10) << name_of(count);
}

TEST(Grid, EqualSeedsGiveEqualRuns) {
  for_each_seed(graphs / 10, [](std::uint64_t seed) {
    const auto first = run(seed);
    const auto second = run(seed);
    EXPECT_EQ(first.end, second.end);
    EXPECT_TRUE(first == second);
  });
}

TEST(Grid, MemoryReturnsToItsStart) {
  if (heap::collector_statistics().heap_bytes == 0) GTEST_SKIP() << "this heap never collects";
  Leftovers leftovers;
  for_each_seed(graphs / 10, [&leftovers](std::uint64_t seed) { run(seed, &leftovers); });
  if (std::getenv("TRAWL_TEST_GRID_SEED") != nullptr) return;
  // A conservative collector may take a stale word for a reference, and a chain of proxies hangs on
  // each; nothing that really was a reference may be left.
  EXPECT_GT(leftovers.at_return, graphs);
  EXPECT_LT(leftovers.collected, leftovers.at_return / 10);
}

}  // namespace
}  // namespace trawl
