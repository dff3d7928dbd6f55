// The task graph of a recording, ready to be replayed.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include <trawl/inline/bytes.hpp>

namespace replay {

using trawl::Nanos;
using Number = std::uint32_t;  ///< of a task: all that it needs have lower ones, the root the last

/// What a task does next.
enum class Step : std::uint8_t {
  work,   ///< computes
  spawn,  ///< offers a call
  par,    ///< offers a thunk
  sync,   ///< needs the call
  force,  ///< needs the thunk
  eval,   ///< makes a thunk, and needs it at once
  place,  ///< offers a thunk to a certain PE
  use,    ///< was given what a placed task gave, with its arguments: looks at that, and at its data
};

/// Is the task made here?
constexpr bool makes(Step step) {
  return step == Step::spawn || step == Step::par || step == Step::eval || step == Step::place;
}
/// Does it begin here, for this one?
constexpr bool needs(Step step) {
  return step == Step::sync || step == Step::force || step == Step::eval;
}

/// For the thunk of a placed task.
enum class Placing : std::uint8_t {
  none,       ///< it was not placed
  by_itself,  ///< who forces it waits for it alone
  in_group,   ///< and for all that were placed there with it, as who sees to a skeleton does
};

/// 8 bytes: a recording has millions.
class Op {
 public:
  static Op work(Nanos time) { return Op(Step::work, static_cast<std::uint64_t>(time)); }
  Op(Step step, Number task, Number place = 0)
      : Op(step, std::uint64_t{place} << place_at | task) {}

  Step step() const { return static_cast<Step>(word_ & 7U); }
  Nanos time() const { return static_cast<Nanos>(word_ >> 3U); }
  Number task() const { return static_cast<Number>(word_ >> 3U) & ((1U << place_at) - 1); }
  /// Of the thunk, among those that the task knows (Task::thunks).
  Number place() const { return static_cast<Number>(word_ >> (3U + place_at)); }

 private:
  static constexpr unsigned place_at = 28;
  Op(Step step, std::uint64_t value) : word_(value << 3U | static_cast<std::uint64_t>(step)) {}

  std::uint64_t word_;
};

struct Task {
  std::uint64_t first = 0;  ///< of its ops
  Number ops = 0;
  Number thunks = 0;            ///< how many it makes, or is told of; those it is given come first
  std::uint32_t arguments = 0;  ///< bytes
  std::uint32_t result = 0;
  std::uint32_t kept = 0;      ///< that the result refers to, and that stays where it was made
  Number function = 0;         ///< of the graph's; 0: unknown
  Number given = 0;            ///< shared values, with its arguments: of the graph's sets
  std::uint16_t site = 0;      ///< of the graph's, in which its spark was made; 0: unknown
  bool passes_thunks = false;  ///< is given some, or gives some back: see Passed
  Placing placing = Placing::none;
};

/// Which of how many shards a placed task is: PEs take shards in their order.
struct Position {
  Number index = 0;
  Number of = 1;
};

/// Thunks that are forced by others than have made them.
struct Passed {
  std::vector<Number> given;     ///< with the arguments
  std::vector<Number> returned;  ///< with the result: their places
  Number place = 0;              ///< of the first that is returned, where this task was needed
};

/// Shared values, by their numbers, ascending.
using Values = std::vector<Number>;

template <class T>
using Plain = std::vector<T, trawl::PlainAllocator<T>>;

/// A stack on which sparks were made: places in the program's file, the innermost first.
using Site = std::vector<std::uint32_t>;

struct Graph {
  std::string program;
  std::string file, build;             ///< that it ran from, if that is known, and its build id
  std::vector<std::string> functions;  ///< the first is the root
  std::vector<Site> sites;             ///< the first is unknown
  Plain<Op> ops;
  Plain<Task> tasks;
  std::unordered_map<Number, Passed> passed;
  std::unordered_map<Number, Position> positions;  ///< of placed tasks
  Plain<std::uint64_t> values;   ///< that are no task's result and that tasks share: their bytes
  std::vector<Values> sets{{}};  ///< of them; the first is empty
  std::unordered_map<Number, Values> makes;  ///< the task that all to whom they are given are under
  /// Why the recording is not whole, in one line; empty if it is. What is before that is here, and
  /// what had begun ends there.
  std::string cut_short;
  std::uint64_t not_needed = 0;  ///< calls and sparks that nobody ever needed: left out
  std::uint64_t unrouted = 0;    ///< sparks of which nobody knows how they came to who needed them

  Number root() const { return static_cast<Number>(tasks.size() - 1); }
};

struct Totals {
  std::uint64_t tasks = 0;  ///< without the root
  std::uint64_t sparks = 0;
  double work = 0;           ///< nanoseconds; of generated trees more than fit into Nanos
  double critical_path = 0;  ///< the same
  std::uint64_t placed = 0;
  std::uint64_t argument_bytes = 0, result_bytes = 0, kept_bytes = 0;
  std::uint64_t shared_values = 0, shared_bytes = 0;
};

Totals totals(const Graph& graph);

/// With so many times its work and its bytes.
Graph scaled(Graph graph, double work, double bytes);

}  // namespace replay
