#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "profiles/replay/graph.hpp"

namespace replay {
namespace {

/// Times at which tasks begin and end when everybody has a PE of speed 1 for himself.
class Critical {
 public:
  explicit Critical(const Graph& graph) : graph_(graph), begin_(graph.tasks.size()) {}

  double path() {
    enter(graph_.root(), 0);
    double last = 0;
    while (!stack_.empty()) {
      auto& top = stack_.back();
      top.time = std::max(top.time, std::exchange(last, 0.0));
      if (top.at == top.end) {
        last = top.time;
        if (graph_.tasks[top.task].placing != Placing::none) end_[top.task] = last;
        stack_.pop_back();
      } else {
        step(top, graph_.ops[top.at++]);
      }
    }
    return last;
  }

 private:
  struct Running {
    Number task;
    std::uint64_t at, end;
    double time;
  };

  void enter(Number task, double time) {
    const auto& t = graph_.tasks[task];
    stack_.push_back({task, t.first, t.first + t.ops, time});
  }

  void step(Running& top, Op op) {
    switch (op.step()) {
      case Step::work:
        top.time += static_cast<double>(op.time());
        return;
      case Step::spawn:
      case Step::par:
      case Step::place:
        begin_[op.task()] = top.time;
        return;
      case Step::use:
        top.time = std::max(top.time, end_.at(op.task()));
        return;
      case Step::eval:
        return enter(op.task(), top.time);
      case Step::sync:
      case Step::force:
        return enter(op.task(), begin_[op.task()]);
    }
  }

  const Graph& graph_;
  Plain<double> begin_;
  std::unordered_map<Number, double> end_;  // of placed tasks
  std::vector<Running> stack_;
};

}  // namespace

Totals totals(const Graph& graph) {
  Totals sum;
  sum.tasks = graph.tasks.size() - 1;
  for (const auto& task : graph.tasks) {
    sum.argument_bytes += task.arguments;
    sum.result_bytes += task.result;
    sum.kept_bytes += task.kept;
  }
  for (const Op op : graph.ops) {
    if (op.step() == Step::work) sum.work += static_cast<double>(op.time());
    if (op.step() == Step::spawn || op.step() == Step::par) ++sum.sparks;
    if (op.step() == Step::place) ++sum.placed;
  }
  sum.shared_values = graph.values.size();
  for (const auto bytes : graph.values) sum.shared_bytes += bytes;
  sum.critical_path = Critical(graph).path();
  return sum;
}

Graph scaled(Graph graph, double work, double bytes) {
  const auto times = [](double value, double factor, double most) {
    return std::llround(std::min(value * factor, most));
  };
  constexpr double longest = 1e18;
  constexpr double most_bytes = std::numeric_limits<std::uint32_t>::max();
  for (Op& op : graph.ops)
    if (op.step() == Step::work)
      op = Op::work(times(static_cast<double>(op.time()), work, longest));
  for (auto& task : graph.tasks)
    for (auto* each : {&task.arguments, &task.result, &task.kept})
      *each = static_cast<std::uint32_t>(times(*each, bytes, most_bytes));
  return graph;
}

}  // namespace replay
