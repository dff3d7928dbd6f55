#include "programs/galaxy/report.hpp"

#include <algorithm>
#include <iostream>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace galaxy {

void Report::Steps::add(const std::vector<Node>& its_nodes, double its_seconds) {
  nodes.resize(std::max(nodes.size(), its_nodes.size()));
  for (std::size_t i = 0; i < its_nodes.size(); ++i) {
    nodes[i].stars = its_nodes[i].stars;
    nodes[i].tree += its_nodes[i].tree;
    nodes[i].forces += its_nodes[i].forces;
  }
  seconds += its_seconds;
  ++count;
}

// What the mean node does not compute, in %: it sends, receives, sorts, waits for others.
double Report::Steps::communication() const {
  double computing = 0;
  for (const auto& node : nodes) computing += node.tree + node.forces;
  return 100 * (1 - computing / static_cast<double>(nodes.size()) / seconds);
}

// How much longer the slowest node computes than the mean one, in %.
double Report::Steps::imbalance() const {
  double sum = 0;
  double most = 0;
  for (const auto& node : nodes) {
    sum += node.tree + node.forces;
    most = std::max(most, node.tree + node.forces);
  }
  return 100 * (most * static_cast<double>(nodes.size()) / sum - 1);
}

void Report::add(const std::vector<Node>& nodes, double seconds) {
  batch_.add(nodes, seconds);
  all_.add(nodes, seconds);
}

void Report::end_batch() {
  if (batch_.count == 0) return;
  std::string nodes;
  for (const auto& node : batch_.nodes)
    nodes += fmt::format(" {} ({:.4f})", node.stars, node.tree + node.forces);
  std::cerr << fmt::format(
      "batch {}: {:.4f} s, communication {:.1f} %, imbalance {:.1f} %; stars (seconds):{}\n",
      ++batches_, batch_.seconds, batch_.communication(), batch_.imbalance(), nodes);
  batch_ = {};
}

void Report::end(double seconds) {
  end_batch();
  Node sum;
  for (const auto& node : all_.nodes) {
    sum.tree += node.tree;
    sum.forces += node.forces;
  }
  const auto nodes = static_cast<double>(std::max<std::size_t>(all_.nodes.size(), 1));
  std::cerr << fmt::format("steps: {:.4f} s, tree {:.4f}, forces {:.4f}, communication {:.1f} %\n",
                           seconds, sum.tree / nodes, sum.forces / nodes,
                           100 * (1 - (sum.tree + sum.forces) / nodes / seconds));
}

}  // namespace galaxy
