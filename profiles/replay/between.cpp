#include "profiles/replay/between.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace replay {
namespace {

/// The longest path before each piece of work, or, backwards, after it. Everybody has a PE of speed
/// 1 for himself. Backwards, a call ends where it was begun.
class Paths {
 public:
  Paths(const Graph& graph, bool backwards)
      : graph_(graph), backwards_(backwards), known_(graph.tasks.size()), of_(graph.ops.size()) {
    enter(graph_.root(), 0);
    Nanos last = 0;
    while (!stack_.empty()) {
      auto& top = stack_.back();
      top.time = std::max(top.time, std::exchange(last, 0));
      if (top.left != 0) {
        step(top);
        continue;
      }
      last = top.time;
      const auto task = top.task;
      const bool is_called = top.is_called;
      stack_.pop_back();
      if (!backwards_ || !is_called) continue;
      known_[task] = last;
      last = 0;
    }
    longest_ = last;
  }

  /// By op.
  Nanos operator[](std::size_t op) const { return of_[op]; }
  Nanos longest() const { return longest_; }

 private:
  struct Running {
    Number task;
    Number left;  // ops
    Nanos time;
    bool is_called;
  };

  void enter(Number task, Nanos time, bool is_called = false) {
    stack_.push_back({task, graph_.tasks[task].ops, time, is_called});
  }

  void step(Running& top) {
    const auto& task = graph_.tasks[top.task];
    const auto at = backwards_ ? task.first + top.left - 1 : task.first + task.ops - top.left;
    --top.left;
    const Op op = graph_.ops[at];
    switch (op.step()) {
      case Step::work:
        of_[at] = top.time;
        top.time += op.time();
        return;
      case Step::eval:
        return enter(op.task(), top.time);
      case Step::spawn:
      case Step::par:
      case Step::place:
        if (backwards_)
          top.time = std::max(top.time, known_[op.task()]);
        else
          known_[op.task()] = top.time;
        return;
      case Step::sync:
      case Step::force:
        return enter(op.task(), backwards_ ? top.time : known_[op.task()], true);
      case Step::use:
        return;
    }
  }

  const Graph& graph_;
  bool backwards_;
  Plain<Nanos> known_;  // when a task begins; backwards, the path from its beginning on
  Plain<Nanos> of_;
  std::vector<Running> stack_;
  Nanos longest_ = 0;
};

constexpr std::size_t slices = 128;
using ByPaths = std::array<std::array<Nanos, slices + 1>, slices + 1>;

}  // namespace

double least_between(const Graph& graph, const Reach& reach) {
  const Paths before(graph, false);
  const Paths after(graph, true);
  const auto slice = static_cast<double>(before.longest()) / slices;
  if (!(slice > 0)) return 0;
  const auto slices_in = [slice](Nanos path) {
    return std::min(static_cast<std::size_t>(static_cast<double>(path) / slice), slices);
  };
  ByPaths work{};  // with at least so many slices before and after
  for (std::size_t at = 0; at < graph.ops.size(); ++at)
    if (graph.ops[at].step() == Step::work)
      work[slices_in(before[at])][slices_in(after[at])] += graph.ops[at].time();
  double speed = 0;
  double fastest = 0;
  for (const auto& cluster : reach.clusters) {
    speed += cluster.speed;
    fastest = std::max(fastest, cluster.fastest);
  }
  double most = 0;
  for (std::size_t i = slices + 1; i-- > 0;)
    for (std::size_t j = slices + 1; j-- > 0;) {
      if (i < slices) work[i][j] += work[i + 1][j];
      if (j < slices) work[i][j] += work[i][j + 1];
      if (i < slices && j < slices) work[i][j] -= work[i + 1][j + 1];
      if (work[i][j] > 0)
        most = std::max(most, static_cast<double>(i + j) * slice / fastest +
                                  static_cast<double>(work[i][j]) / speed);
    }
  return most * 1e-9;
}

}  // namespace replay
