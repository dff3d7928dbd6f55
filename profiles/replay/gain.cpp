#include "profiles/replay/gain.hpp"

#include <algorithm>

namespace replay {
namespace {

/// The tasks by what is under what: the root is the last. A thunk may come back with a result from
/// whoever made it, and be evaluated after him, so that numbers don't tell who made it.
class Hung {
 public:
  Hung(const Graph& graph, Sent sent) : graph_(graph), sent_(sent) {
    order_.reserve(graph.tasks.size());
    Plain<Number> next{graph.root()};
    while (!next.empty()) {
      order_.push_back(next.back());
      next.pop_back();
      each_under(order_.back(), [&next](Op op) { next.push_back(op.task()); });
    }
    std::reverse(order_.begin(), order_.end());
  }

  const Plain<Number>& order() const { return order_; }

  /// Visits the steps that hang a task under this one.
  template <class Visit>
  void each_under(Number number, Visit visit) const {
    const auto& task = graph_.tasks[number];
    for (auto at = task.first; at < task.first + task.ops; ++at)
      if (hangs(graph_.ops[at].step())) visit(graph_.ops[at]);
  }

  double bytes(Number task) const {
    return sent_ == Sent::arguments ? graph_.tasks[task].arguments : graph_.tasks[task].result;
  }

 private:
  bool hangs(Step step) const { return sent_ == Sent::arguments ? makes(step) : needs(step); }

  const Graph& graph_;
  Sent sent_;
  Plain<Number> order_;
};

/// Of each task, with all that is under it.
Plain<double> works(const Graph& graph, const Hung& hung) {
  Plain<double> work(graph.tasks.size());
  for (const auto number : hung.order()) {
    const auto& task = graph.tasks[number];
    double sum = 0;
    for (auto at = task.first; at < task.first + task.ops; ++at)
      if (graph.ops[at].step() == Step::work)
        sum += static_cast<double>(graph.ops[at].time()) * 1e-9;
    hung.each_under(number, [&](Op op) { sum += work[op.task()]; });
    work[number] = sum;
  }
  return work;
}

}  // namespace

Gains gains(const Graph& graph, Sent sent, std::span<const double> prices) {
  const Hung hung(graph, sent);
  const auto work = works(graph, hung);
  Plain<double> below(graph.tasks.size());  // the best, if the task itself is not given away
  Gains all;
  for (const auto price : prices) {
    for (const auto number : hung.order()) {
      double sum = 0;
      hung.each_under(number, [&](Op op) {
        const auto parts = below[op.task()];
        const auto whole = work[op.task()] - price * hung.bytes(op.task());
        sum += op.step() == Step::eval ? parts : std::max(parts, whole);
      });
      below[number] = sum;
    }
    all.push_back(below[graph.root()]);
  }
  return all;
}

}  // namespace replay
