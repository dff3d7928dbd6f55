// Random task graphs on random grids: the right answer, and nothing left behind, whatever messages
// do.
//
// Everything follows from a seed. To repeat one run: TRAWL_GRID_SEED=n unit_tests
// --gtest_filter=Grid.*
#include <algorithm>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lang/trawl.hpp"
#include "rts/simulate.hpp"
#include "tests/unit/grid_weights.hpp"

namespace trawl {
namespace {

using test::expect_weights_conserved;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint64_t graphs = 150;
#else
constexpr std::uint64_t graphs = 8000;
#endif

using Random = std::mt19937_64;

std::uint64_t below(Random& random, std::uint64_t n) {
  return random() % n;
}

template <class T>
T one_of(Random& random, std::initializer_list<T> choices) {
  return choices.begin()[below(random, choices.size())];
}

// ---- a task graph, and what it says when it is evaluated plainly -------------------------------

enum class Shape { leaf, sum, spawns, list, cells, tree, fails, catches };

struct Task {
  Shape shape = Shape::leaf;
  Nanos work = 0;
  std::vector<int> needs;     // tasks of higher number
  std::uint64_t sparked = 0;  // which of its parts it offers to others: a bit each
};

long base(int task) {
  return 7919L * (task + 1) % 1009;
}

// Of a task's own parts: the elements of its list, the cells and nodes of its structures.
constexpr int parts = 4;
long part_value(int task, int part) {
  return base(task) + 31L * part;
}

struct Answer {
  long value = 0;
  int failed = -1;  // the task that threw
  friend bool operator==(const Answer&, const Answer&) = default;
};

using Graph = std::vector<Task>;

Answer plain(const Graph& graph, std::vector<Answer>& known, int id) {
  const Task& task = graph[static_cast<std::size_t>(id)];
  Answer answer{base(id), -1};
  for (const int need : task.needs) {
    const Answer& other = known[static_cast<std::size_t>(need)];
    if (other.failed < 0) {
      answer.value += other.value;
    } else if (task.shape == Shape::catches) {
      answer.value += 1000 + part_value(id, other.failed);
    } else {
      return {0, other.failed};
    }
  }
  if (task.shape == Shape::fails) return {0, id};
  if (task.shape == Shape::spawns || task.shape == Shape::list || task.shape == Shape::cells ||
      task.shape == Shape::tree)
    for (int part = 0; part < parts; ++part) answer.value += part_value(id, part);
  return answer;
}

std::vector<Answer> plain(const Graph& graph) {
  std::vector<Answer> answers(graph.size());
  for (auto id = static_cast<int>(graph.size()) - 1; id >= 0; --id)
    answers[static_cast<std::size_t>(id)] = plain(graph, answers, id);
  return answers;
}

Graph random_graph(Random& random) {
  Graph graph(1 + below(random, one_of(random, {4U, 40U, 120U})));
  const auto size = static_cast<int>(graph.size());
  const auto cost = one_of<std::uint64_t>(random, {1'000, 50'000, 500'000, 5'000'000});
  for (int id = 0; id < size; ++id) {
    Task& task = graph[static_cast<std::size_t>(id)];
    task.shape = one_of(random, {Shape::leaf, Shape::sum, Shape::sum, Shape::spawns, Shape::list,
                                 Shape::cells, Shape::tree, Shape::catches});
    if (below(random, 20) == 0) task.shape = Shape::fails;
    task.work = static_cast<Nanos>(below(random, cost));
    task.sparked = random() & random();
    for (auto n = task.shape == Shape::leaf ? 0 : below(random, 5); n > 0 && id + 1 < size; --n)
      task.needs.push_back(
          id + 1 +
          static_cast<int>(below(
              random, std::min<std::uint64_t>(12, static_cast<std::uint64_t>(size - id - 1)))));
  }
  return graph;
}

// ---- the same graph as a Trawl program ---------------------------------------------------------

const Graph* graph_here = nullptr;
std::vector<int> evaluations;  // by ticket: each thunk has one of its own

int new_ticket() {
  evaluations.push_back(0);
  return static_cast<int>(evaluations.size()) - 1;
}

const Task& begin(int ticket, int id) {
  ++evaluations[static_cast<std::size_t>(ticket)];
  const Task& task = (*graph_here)[static_cast<std::size_t>(id)];
  Simulation::work(task.work);
  return task;
}

// Does a task offer its part of this number to others?
template <class T>
Lazy<T> maybe_par(int id, int part, Lazy<T> x) {
  const auto sparked = (*graph_here)[static_cast<std::size_t>(id)].sparked;
  return (sparked >> (part % 64) & 1U) != 0 ? par(x) : x;
}

using Longs = std::vector<Lazy<long>>;

struct Odd : std::logic_error {
  using logic_error::logic_error;
};

long one_part(int ticket, int id, int part) {
  begin(ticket, id);
  return part_value(id, part);
}

long sum_of(int ticket, int id, const Lazy<Longs>& xs) {
  begin(ticket, id);
  long sum = 0;
  for (const auto& x : force(xs)) sum += force(x);
  return sum;
}

Longs make_list(int ticket, int id, const Longs& needs) {
  begin(ticket, id);
  Longs all = needs;
  for (int part = 0; part < parts; ++part)
    all.push_back(maybe_par(id, part, lazy<one_part>(new_ticket(), id, part)));
  return all;
}

struct Cell {
  Lazy<long> head;
  Lazy<Cell> tail;
};

Cell make_cells(int ticket, int id, int part, const Longs& needs) {
  begin(ticket, id);
  const auto at = static_cast<std::size_t>(part);
  if (at < needs.size())
    return {needs[at], maybe_par(id, part, lazy<make_cells>(new_ticket(), id, part + 1, needs))};
  const int own = part - static_cast<int>(needs.size());
  if (own == parts) return {};
  return {Lazy<long>(part_value(id, own)),
          maybe_par(id, part, lazy<make_cells>(new_ticket(), id, part + 1, needs))};
}

struct Tree {
  Longs fruits;
  std::vector<Lazy<Tree>> branches;
};

// Its first `needs` are on the trunk, the others on the branches.
Tree make_tree(int ticket, int id, const Longs& fruits) {
  begin(ticket, id);
  if (fruits.size() <= 2) return {fruits, {}};
  const auto half = fruits.begin() + static_cast<std::ptrdiff_t>(fruits.size()) / 2;
  Tree tree{{fruits.front()}, {}};
  tree.branches.push_back(
      maybe_par(id, 0, lazy<make_tree>(new_ticket(), id, Longs(fruits.begin() + 1, half))));
  tree.branches.push_back(
      maybe_par(id, 1, lazy<make_tree>(new_ticket(), id, Longs(half, fruits.end()))));
  return tree;
}

long harvest(const Tree& tree) {
  long sum = 0;
  for (const auto& fruit : tree.fruits) sum += force(fruit);
  for (const auto& branch : tree.branches) sum += harvest(force(branch));
  return sum;
}

long spawned_part(int ticket, int id, int part, const Longs& needs) {
  begin(ticket, id);
  if (part >= parts) return 0;
  auto rest = spawn<spawned_part>(new_ticket(), id, part + 1, needs);
  const auto own = part_value(id, part);
  Simulation::work(100);
  return own + rest.sync();
}

std::string name_of_task(int id) {
  return "task " + std::to_string(id);
}

int task_named(const std::exception& e) {
  const std::string text = e.what();
  if (!text.starts_with("task ")) throw Error("an exception from elsewhere: " + text);
  return std::stoi(text.substr(5));
}

long sum_plainly(const Longs& xs) {
  long sum = 0;
  for (const auto& x : xs) sum += force(x);
  return sum;
}

// Blocks inside of catch clauses.
long sum_whatever_happens(int id, const Longs& xs) {
  long sum = 0;
  for (const auto& x : xs) {
    try {
      sum += force(x);
    } catch (const std::exception& e) {
      const int failed = task_named(e);
      const auto consolation = maybe_par(id, failed, lazy<one_part>(new_ticket(), id, failed));
      Simulation::work(100);
      sum += 1000 + force(consolation);
      if (task_named(e) != failed) throw Error("another exception was caught");
    }
  }
  return sum;
}

long sum_cells(const Lazy<Cell>& first) {
  long sum = 0;
  for (const Cell* cell = &force(first); cell->head; cell = &force(cell->tail))
    sum += force(cell->head);
  return sum;
}

long task(int ticket, int id, const Longs& needs) {
  const Task& its = begin(ticket, id);
  for (std::size_t i = 0; i < needs.size(); ++i) maybe_par(id, static_cast<int>(i), needs[i]);
  switch (its.shape) {
    case Shape::leaf:
      return base(id);
    case Shape::sum:
      return base(id) + sum_plainly(needs);
    case Shape::catches:
      return base(id) + sum_whatever_happens(id, needs);
    case Shape::fails:
      sum_plainly(needs);
      if (id % 2 == 0) throw Odd(name_of_task(id));
      throw std::runtime_error(name_of_task(id));
    case Shape::spawns: {
      auto own = spawn<spawned_part>(new_ticket(), id, 0, needs);
      const auto others = sum_plainly(needs);
      return base(id) + others + own.sync();
    }
    case Shape::list: {
      const auto list = maybe_par(id, 9, lazy<make_list>(new_ticket(), id, needs));
      return base(id) + force(maybe_par(id, 10, lazy<sum_of>(new_ticket(), id, list)));
    }
    case Shape::cells:
      return base(id) + sum_cells(maybe_par(id, 9, lazy<make_cells>(new_ticket(), id, 0, needs)));
    case Shape::tree: {
      auto fruits = needs;
      for (int part = 0; part < parts; ++part)
        fruits.push_back(lazy<one_part>(new_ticket(), id, part));
      // A tree meets its exceptions in another order than a list.
      for (const auto& need : needs) force(need);
      return base(id) + harvest(force(maybe_par(id, 9, lazy<make_tree>(new_ticket(), id, fruits))));
    }
  }
  return 0;
}

std::vector<Answer> evaluate(const Graph& graph, Random random) {
  Longs all(graph.size());
  for (auto id = static_cast<int>(graph.size()) - 1; id >= 0; --id) {
    Longs needs;
    for (const int need : graph[static_cast<std::size_t>(id)].needs)
      needs.push_back(all[static_cast<std::size_t>(need)]);
    all[static_cast<std::size_t>(id)] = lazy<task>(new_ticket(), id, needs);
  }
  std::vector<std::size_t> order(graph.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), random);
  for (const auto id : order)
    if (below(random, 2) == 0) par(all[id]);
  std::vector<Answer> answers(graph.size());
  for (const auto id : order) {
    try {
      answers[id] = {force(all[id]), -1};
    } catch (const std::exception& e) {
      answers[id] = {0, task_named(e)};
    }
  }
  return answers;
}

// ---- a random grid -----------------------------------------------------------------------------

Simulation::Config random_grid(Random& random, std::uint64_t seed) {
  Simulation::Config config;
  auto& net = config.net;
  net.pes = 1 + static_cast<int>(below(random, one_of(random, {2U, 4U, 16U})));
  net.seed = seed;
  net.latency = one_of<Nanos>(random, {500, 10'000, 10'000, 200'000, 2'000'000});
  net.jitter = one_of<Nanos>(random, {0, 1'000, 50'000, 3 * net.latency});
  net.reorder = below(random, 2) == 0;
  net.bytes_per_nano = one_of(random, {0.01, 1.0});
  net.limit = one_of<std::size_t>(random, {512, 64 * 1024});
  auto& options = config.options;
  options.policy = one_of<std::string>(random, {"random", "targeted"});
  options.packet_size = one_of<std::size_t>(random, {0, 16, 64, 256, 64 * 1024});
  options.thunks_per_packet = one_of<std::size_t>(random, {0, 1, 3, 1024});
  options.thread_limit = one_of(random, {1U, 2U, 3U, 4U, 1024U});
  options.low_watermark = static_cast<unsigned>(below(random, 4));
  options.max_fish = 1 + static_cast<unsigned>(below(random, 3));
  options.spark_pool = one_of<std::size_t>(random, {1, 2, 8, 256});
  options.stack_size = std::size_t{256} << 10U;
  // So long that a moment without any fish under way comes, see Simulation::settle.
  options.fish_delay_max = static_cast<double>(100 * (net.latency + net.jitter)) * 1e-3;
  config.full_weight = one_of<heap::Weight>(random, {1, 2, 4, 1U << 16U});
  const bool equal = below(random, 2) == 0;
  const auto clusters = 1 + below(random, 3);
  for (int pe = 0; pe < net.pes; ++pe) {
    net.speed.push_back(equal ? 1 : one_of(random, {0.3, 1.0, 4.0}));
    config.cluster.push_back("cluster" + std::to_string(below(random, clusters)));
  }
  return config;
}

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
      const auto at = static_cast<std::size_t>(pe * tables.size() + other);
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
    EXPECT_EQ(pe.crew().live_threads(), 0u);
    EXPECT_EQ(pe.crew().blocked().size(), 0u);
    EXPECT_EQ(pe.sharing().blocking_queues(), 0u);
    EXPECT_EQ(pe.crew().load().sparks, 0u);
    EXPECT_EQ(pe.fishing().outstanding(), 0u);
  }
}

std::size_t names_in_use(Simulation& simulation) {
  std::size_t sum = 0;
  for (int i = 0; i < simulation.size(); ++i) {
    const auto& addresses = simulation.pe(i).sharing().addresses();
    sum += addresses.slots() + addresses.proxies();
  }
  return sum;
}

/// All that must be the same when a run is repeated.
struct Record {
  Nanos end = 0;
  std::vector<Figures> figures;
  std::vector<int> evaluations;
  std::vector<Answer> answers;
  friend bool operator==(const Record&, const Record&) = default;
};

Figures without_collector(Figures figures) {
  for (const auto count : {Count::gc_count, Count::gc_time, Count::heap_bytes})
    figures[static_cast<std::size_t>(count)] = 0;
  return figures;
}

/// A chain of proxies dies link by link: each collection frees what the last one's FREE let go of.
void collect_all(Simulation& simulation) {
  for (int round = 0; round < 100 && names_in_use(simulation) != 0; ++round) {
    heap::collect();
    simulation.bury_the_dead();
    simulation.settle();
  }
}

struct Leftovers {
  std::size_t at_return = 0;
  std::size_t collected = 0;
};

Record run(std::uint64_t seed, Leftovers* leftovers = nullptr) {
  Random random(seed);
  const auto graph = random_graph(random);
  auto config = random_grid(random, seed);
  TableWatch watch(config.net.pes);
  config.net.lose = [&watch](int from, int, std::span<const std::byte>) {
    watch.look(from);
    return false;
  };
  graph_here = &graph;
  evaluations.clear();

  Simulation simulation(config);
  watch.simulation = &simulation;
  Record record;
  try {
    simulation.run([&] { record.answers = evaluate(graph, random); });
    simulation.settle();
  } catch (const std::exception& e) {
    ADD_FAILURE() << e.what();
    watch.simulation = nullptr;
    return record;
  }
  EXPECT_EQ(record.answers, plain(graph));
  EXPECT_LE(*std::max_element(evaluations.begin(), evaluations.end()), 1);
  EXPECT_FALSE(watch.went_back);
  expect_nothing_is_left(simulation);
  expect_weights_conserved(simulation);
  record.end = simulation.now();
  record.evaluations = evaluations;
  for (int i = 0; i < simulation.size(); ++i)
    record.figures.push_back(without_collector(simulation.pe(i).figures()));
  if (leftovers != nullptr) {
    leftovers->at_return += names_in_use(simulation);
    collect_all(simulation);
    leftovers->collected += names_in_use(simulation);
    expect_weights_conserved(simulation);
  }
  EXPECT_EQ(simulation.finish(3).code, 3);
  return record;
}

std::pair<std::uint64_t, std::uint64_t> seeds(std::uint64_t how_many) {
  if (const char* only = std::getenv("TRAWL_GRID_SEED")) {
    const auto seed = std::strtoull(only, nullptr, 10);
    return {seed, seed + 1};
  }
  return {1, how_many + 1};
}

template <class Each>
void for_each_seed(std::uint64_t how_many, Each each) {
  const auto [from, to] = seeds(how_many);
  for (auto seed = from; seed < to && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("TRAWL_GRID_SEED=" + std::to_string(seed));
    each(seed);
  }
}

TEST(Grid, AnswersAreRightAndNothingIsLeft) {
  Figures sum{};
  for_each_seed(graphs, [&sum](std::uint64_t seed) {
    for (const auto& figures : run(seed).figures)
      for (std::size_t i = 0; i < counts; ++i) sum[i] += figures[i];
  });
  if (std::getenv("TRAWL_GRID_SEED") != nullptr) return;
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
  if (heap::collector_figures().heap_bytes == 0) GTEST_SKIP() << "this heap never collects";
  Leftovers leftovers;
  for_each_seed(graphs / 10, [&leftovers](std::uint64_t seed) { run(seed, &leftovers); });
  if (std::getenv("TRAWL_GRID_SEED") != nullptr) return;
  // A conservative collector may take a stale word for a reference, and a chain of proxies hangs on
  // each; nothing that really was a reference may be left.
  EXPECT_GT(leftovers.at_return, graphs);
  EXPECT_LT(leftovers.collected, leftovers.at_return / 10);
}

}  // namespace
}  // namespace trawl
