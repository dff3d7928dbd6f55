#include "tests/unit/random_graph.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include <trawl/trawl.hpp>

#include "rts/simulate.hpp"

namespace trawl::test {
namespace {

using Tasks = std::vector<Task>;

long base(int task) {
  return 7919L * (task + 1) % 1009;
}

// Of a task's own parts: the elements of its list, the cells and nodes of its structures.
constexpr int parts = 4;
long part_value(int task, int part) {
  return base(task) + 31L * part;
}

Answer plain_answer(const Tasks& tasks, std::vector<Answer>& known, int id) {
  const Task& task = tasks[static_cast<std::size_t>(id)];
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

// ---- the same graph as a Trawl program ---------------------------------------------------------

const Tasks* tasks_here = nullptr;
std::vector<int> times_evaluated;  // by ticket: each thunk has one of its own

int new_ticket() {
  times_evaluated.push_back(0);
  return static_cast<int>(times_evaluated.size()) - 1;
}

const Task& begin(int ticket, int id) {
  ++times_evaluated[static_cast<std::size_t>(ticket)];
  const Task& task = (*tasks_here)[static_cast<std::size_t>(id)];
  Simulation::work(task.work);
  return task;
}

// Does a task offer its part of this number to others?
template <class T>
Lazy<T> maybe_par(int id, int part, Lazy<T> x) {
  const auto sparked = (*tasks_here)[static_cast<std::size_t>(id)].sparked;
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

}  // namespace

RandomGraph::RandomGraph(Random& random)
    : tasks_(1 + below(random, one_of(random, {4U, 40U, 120U}))) {
  const auto size = static_cast<int>(tasks_.size());
  const auto cost = one_of<std::uint64_t>(random, {1'000, 50'000, 500'000, 5'000'000});
  for (int id = 0; id < size; ++id) {
    Task& task = tasks_[static_cast<std::size_t>(id)];
    task.shape = one_of(random, {Shape::leaf, Shape::sum, Shape::sum, Shape::spawns, Shape::list,
                                 Shape::cells, Shape::tree, Shape::catches});
    if (below(random, 20) == 0) task.shape = Shape::fails;
    task.work = static_cast<Nanos>(below(random, cost));
    task.sparked = random() & random();  // NOLINT(misc-redundant-expression): one bit in four
    for (auto n = task.shape == Shape::leaf ? 0 : below(random, 5); n > 0 && id + 1 < size; --n)
      task.needs.push_back(
          id + 1 +
          static_cast<int>(below(
              random, std::min<std::uint64_t>(12, static_cast<std::uint64_t>(size - id - 1)))));
  }
}

std::vector<Answer> RandomGraph::plain() const {
  std::vector<Answer> answers(tasks_.size());
  for (auto id = static_cast<int>(tasks_.size()) - 1; id >= 0; --id)
    answers[static_cast<std::size_t>(id)] = plain_answer(tasks_, answers, id);
  return answers;
}

std::vector<Answer> RandomGraph::evaluate(Random random) const {
  tasks_here = &tasks_;
  times_evaluated.clear();
  Longs all(tasks_.size());
  for (auto id = static_cast<int>(tasks_.size()) - 1; id >= 0; --id) {
    Longs needs;
    for (const int need : tasks_[static_cast<std::size_t>(id)].needs)
      needs.push_back(all[static_cast<std::size_t>(need)]);
    all[static_cast<std::size_t>(id)] = lazy<task>(new_ticket(), id, needs);
  }
  std::vector<std::size_t> order(tasks_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), random);
  for (const auto id : order)
    if (below(random, 2) == 0) par(all[id]);
  std::vector<Answer> answers(tasks_.size());
  for (const auto id : order) {
    try {
      answers[id] = {force(all[id]), -1};
    } catch (const std::exception& e) {
      answers[id] = {0, task_named(e)};
    }
  }
  return answers;
}

const std::vector<int>& RandomGraph::evaluations() {
  return times_evaluated;
}

}  // namespace trawl::test
