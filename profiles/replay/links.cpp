#include "profiles/replay/links.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace replay {
namespace {

/// Of more clusters than that, all but the main PE's are taken together: one cut of many.
constexpr std::size_t many_clusters = 128;

/// A maximal flow, from node 0 to the last one, by shortest ways (Edmonds, Karp 1972).
class Flow {
 public:
  explicit Flow(std::size_t nodes) : nodes_(nodes), left_(nodes * nodes) {}

  double& left(std::size_t from, std::size_t to) { return left_[from * nodes_ + to]; }

  double run() {
    double sum = 0;
    while (look()) {
      double most = left(came_[nodes_ - 1], nodes_ - 1);
      for (auto to = nodes_ - 1; to != 0; to = came_[to])
        most = std::min(most, left(came_[to], to));
      for (auto to = nodes_ - 1; to != 0; to = came_[to]) {
        left(came_[to], to) -= most;
        left(to, came_[to]) += most;
      }
      sum += most;
    }
    return sum;
  }

  /// After run(): is it on the near side of the least cut?
  bool is_near(std::size_t node) const { return came_[node] != nodes_; }

 private:
  bool look() {
    came_.assign(nodes_, nodes_);
    came_[0] = 0;
    std::vector<std::size_t> queue{0};
    for (std::size_t at = 0; at < queue.size(); ++at)
      for (std::size_t to = 0; to < nodes_; ++to) {
        if (came_[to] != nodes_ || !(left(queue[at], to) > 0)) continue;
        came_[to] = queue[at];
        queue.push_back(to);
      }
    return is_near(nodes_ - 1);
  }

  std::size_t nodes_;
  std::vector<double> left_;
  std::vector<std::size_t> came_;  // from where
};

/// Work a second and the clusters beyond the cut that limits it.
struct Rate {
  double work = 0;
  std::vector<std::size_t> far;
};

Rate rate(const Reach& reach, double price) {
  const auto n = reach.clusters.size();
  Flow flow(n + 1);
  for (std::size_t i = 0; i < n; ++i) {
    flow.left(i, n) = reach.clusters[i].speed;
    for (std::size_t j = 0; j < n; ++j)
      if (j != i) flow.left(i, j) = price * reach.between(i, j);
  }
  Rate rate{flow.run(), {}};
  for (std::size_t i = 0; i < n; ++i)
    if (!flow.is_near(i)) rate.far.push_back(i);
  return rate;
}

Reach two_of(const Reach& reach) {
  Reach two{{reach.clusters.front(), {}}};
  for (std::size_t i = 1; i < reach.clusters.size(); ++i) {
    two.clusters[1].speed += reach.clusters[i].speed;
    two.links[{0, 1}] += reach.between(0, i);
  }
  return two;
}

double bandwidth_into(const Reach& reach, const std::vector<std::size_t>& far) {
  double sum = 0;
  for (std::size_t from = 0; from < reach.clusters.size(); ++from)
    if (!std::binary_search(far.begin(), far.end(), from))
      for (const auto to : far) sum += reach.between(from, to);
  return sum;
}

}  // namespace

// Any price gives a bound: the best one is looked for, closer and closer.
Crossing crossing(double work, const Reach& reach, const GainsOf& gains) {
  const auto clusters = reach.clusters.size();
  Crossing most;
  if (clusters == 1) return most;
  if (clusters > many_clusters) {
    most = crossing(work, two_of(reach), gains);
    for (std::size_t i = 2; i < clusters && !most.far.empty(); ++i) most.far.push_back(i);
    return most;
  }
  double best_price = 1e-3;
  double step = 4;
  constexpr int lowest = -14;  // 4^-14 and 4^9 times: from less than 1 ns a MB on to hours a byte
  int from = lowest;
  int to = 9;
  for (int round = 0; round < 5; ++round) {
    std::vector<double> prices;
    for (int i = from; i <= to; ++i) prices.push_back(best_price * std::pow(step, i));
    const auto gained = gains(prices);
    for (std::size_t i = 0; i < prices.size(); ++i) {
      auto [work_a_second, far] = rate(reach, prices[i]);
      const auto seconds = (work - gained[i]) / work_a_second;
      if (seconds <= most.seconds) continue;
      best_price = prices[i];
      most = {seconds, bandwidth_into(reach, far) * seconds, std::move(far)};
    }
    to = 4;
    from = -to;
    step = std::pow(step, 1.0 / (to + 1));
  }
  return most;
}

Reach turned(Reach reach) {
  std::map<Reach::Ends, double> links;
  for (const auto& [ends, bandwidth] : reach.links) links[{ends.second, ends.first}] = bandwidth;
  reach.links = std::move(links);
  return reach;
}

}  // namespace replay
