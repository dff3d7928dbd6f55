#include "profiles/replay/bound.hpp"

#include <algorithm>
#include <limits>

#include "profiles/replay/between.hpp"
#include "profiles/replay/links.hpp"

namespace replay {
namespace {

double seconds_of(double nanos) {
  return nanos * 1e-9;
}

/// A cluster works only after a message has come there, and before one goes back from there.
double least_time(double work, std::vector<Reach::Cluster> clusters) {
  std::sort(clusters.begin(), clusters.end(),
            [](const auto& a, const auto& b) { return a.away < b.away; });
  double least = std::numeric_limits<double>::infinity();
  double speed = 0;
  double lost = 0;
  for (const auto& cluster : clusters) {
    if (cluster.away >= least) break;
    speed += cluster.speed;
    lost += cluster.speed * cluster.away;
    least = (work + lost) / speed;
  }
  return least;
}

}  // namespace

double Bound::seconds() const {
  return std::max({work, path, between, arguments.seconds, results.seconds});
}

Bound bound(const Totals& totals, const Reach& reach) {
  Bound bound;
  bound.work = least_time(seconds_of(totals.work), reach.clusters);
  bound.path = std::numeric_limits<double>::infinity();
  for (const auto& cluster : reach.clusters)
    bound.path =
        std::min(bound.path, seconds_of(totals.critical_path) / cluster.fastest + cluster.away);
  return bound;
}

Bound bound(const Totals& totals, const Reach& reach, const GainsOf& arguments,
            const GainsOf& results) {
  auto least = bound(totals, reach);
  least.arguments = crossing(seconds_of(totals.work), reach, arguments);
  least.results = crossing(seconds_of(totals.work), turned(reach), results);
  return least;
}

Bound bound(const Graph& graph, const Reach& reach) {
  const auto of = [&graph](Sent sent) {
    return [&graph, sent](std::span<const double> prices) { return gains(graph, sent, prices); };
  };
  auto least = bound(totals(graph), reach, of(Sent::arguments), of(Sent::results));
  least.between = least_between(graph, reach);
  return least;
}

}  // namespace replay
