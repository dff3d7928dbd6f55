#include "profiles/replay/reach.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace replay {
namespace {

using trawl::Nanos;
using trawl::fabric::GridCluster;
using trawl::fabric::GridFile;
using trawl::fabric::GridLink;
using trawl::fabric::Line;

constexpr double nano = 1e-9;

/// Visits what a link is at some time.
template <class Visit>
void each_line(const GridLink& link, Visit visit) {
  visit(link.line);
  for (const auto& change : link.changes) visit(change.line);
}

double best_bandwidth(const GridFile& grid, const GridLink& link) {
  if (link.missing) return 0;
  double best = 0;
  each_line(link, [&](const Line& line) { best = std::max(best, line.bytes_per_nano); });
  if (grid.random_changes.every != 0) best *= grid.random_changes.most_bandwidth;
  return best / nano;
}

double best_latency(const GridFile& grid, const GridLink& link) {
  if (link.missing) return std::numeric_limits<double>::infinity();
  double best = std::numeric_limits<double>::infinity();
  each_line(link, [&](const Line& line) {
    best = std::min(best, static_cast<double>(line.latency) * nano);
  });
  if (grid.random_changes.every != 0) best *= grid.random_changes.least_latency;
  return best;
}

/// The shortest ways from the main PE's cluster, or to it, as others may pass things on (Dijkstra).
template <class Length>
std::vector<double> ways(std::size_t clusters, Length length) {
  std::vector<double> way(clusters, std::numeric_limits<double>::infinity());
  std::vector<bool> done(clusters);
  way[0] = 0;
  for (std::size_t turn = 0; turn < clusters; ++turn) {
    std::size_t next = clusters;
    for (std::size_t i = 0; i < clusters; ++i)
      if (!done[i] && (next == clusters || way[i] < way[next])) next = i;
    done[next] = true;
    for (std::size_t i = 0; i < clusters; ++i)
      if (!done[i]) way[i] = std::min(way[i], way[next] + length(next, i));
  }
  return way;
}

Reach::Cluster cluster_of(const GridFile& grid, const GridCluster& cluster, double of_host) {
  Reach::Cluster made;
  const auto speed = cluster.speed_on(of_host);
  made.speed = speed * cluster.workers * cluster.pes;
  made.fastest = speed;
  if (grid.speed_changes.empty()) return made;
  made.speed = made.fastest = 0;
  for (int pe = cluster.first_pe; pe < cluster.first_pe + cluster.pes; ++pe) {
    const auto best = speed * grid.best_share(pe);
    made.speed += best * cluster.workers;
    made.fastest = std::max(made.fastest, best);
  }
  return made;
}

}  // namespace

Reach reach_of(const GridFile& grid, double speed_of_host) {
  Reach reach;
  const auto n = grid.clusters.size();
  const auto link = [&grid](std::size_t from, std::size_t to) -> const GridLink& {
    return grid.link(static_cast<int>(from), static_cast<int>(to));
  };
  const auto there =
      ways(n, [&](std::size_t from, std::size_t to) { return best_latency(grid, link(from, to)); });
  const auto back =
      ways(n, [&](std::size_t from, std::size_t to) { return best_latency(grid, link(to, from)); });
  for (std::size_t i = 0; i < n; ++i) {
    reach.clusters.push_back(cluster_of(grid, grid.clusters[i], speed_of_host));
    reach.clusters.back().away = there[i] + back[i];
  }
  reach.bandwidth = best_bandwidth(grid, grid.between);
  for (const auto& [ends, its] : grid.links)
    reach.links[{static_cast<std::size_t>(ends.first), static_cast<std::size_t>(ends.second)}] =
        best_bandwidth(grid, its);
  return reach;
}

Reach reach_of(std::span<const double> speeds) {
  return {{{std::accumulate(speeds.begin(), speeds.end(), 0.0),
            *std::max_element(speeds.begin(), speeds.end()), 0}}};
}

}  // namespace replay
