// A random graph of tasks that need each other: as a Trawl program, and what it has to say.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>
#include <vector>

#include "rts/inline/bytes.hpp"

namespace trawl::test {

using Random = std::mt19937_64;

inline std::uint64_t below(Random& random, std::uint64_t n) {
  return random() % n;
}

template <class T>
T one_of(Random& random, std::initializer_list<T> choices) {
  return choices.begin()[below(random, choices.size())];
}

/// Of a task.
struct Answer {
  long value = 0;
  int failed = -1;  // the task that threw
  friend bool operator==(const Answer&, const Answer&) = default;
};

enum class Shape { leaf, sum, spawns, list, cells, tree, fails, catches };

struct Task {
  Shape shape = Shape::leaf;
  Nanos work = 0;
  std::vector<int> needs;     // tasks of higher number
  std::uint64_t sparked = 0;  // which of its parts it offers to others: a bit each
};

class RandomGraph {
 public:
  explicit RandomGraph(Random& random);

  /// All tasks' answers, by loops.
  std::vector<Answer> plain() const;
  /// The same by thunks, sparked and asked for in any order. Call it inside of a run, of one graph
  /// at a time.
  std::vector<Answer> evaluate(Random random) const;
  /// How often each thunk of the last `evaluate` was evaluated.
  static const std::vector<int>& evaluations();

 private:
  std::vector<Task> tasks_;
};

}  // namespace trawl::test
