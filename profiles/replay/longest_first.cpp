#include "profiles/replay/longest_first.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <queue>
#include <vector>

namespace replay {
namespace {

/// Nanoseconds at speed 1, the longest first.
std::vector<double> works(const Graph& graph) {
  std::vector<double> list;
  for (const auto& task : graph.tasks) {
    double work = 0;
    for (auto at = task.first; at < task.first + task.ops; ++at)
      if (graph.ops[at].step() == Step::work) work += static_cast<double>(graph.ops[at].time());
    list.push_back(work);
  }
  std::sort(list.begin(), list.end(), std::greater<>());
  return list;
}

/// When workers of one speed are free again, the first one first.
using Free = std::priority_queue<double, std::vector<double>, std::greater<>>;

}  // namespace

double longest_first(const Graph& graph, const Reach& reach) {
  std::map<double, Free> workers;
  for (const auto& cluster : reach.clusters) {
    if (cluster.fastest <= 0) continue;
    for (auto i = std::lround(cluster.speed / cluster.fastest); i > 0; --i)
      workers[cluster.fastest].push(0);
  }
  double last = 0;
  for (const auto work : works(graph)) {
    const auto end = [work](const auto& its) { return its.second.top() + work / its.first; };
    auto& [speed, free] =
        *std::min_element(workers.begin(), workers.end(),
                          [&end](const auto& a, const auto& b) { return end(a) < end(b); });
    const double done = free.top() + work / speed;
    free.pop();
    free.push(done);
    last = std::max(last, done);
  }
  return last * 1e-9;
}

}  // namespace replay
