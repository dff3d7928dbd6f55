// A grid as far as it bounds a run: how much work its clusters can do, and what its links carry.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "rts/fabric/grid_file.hpp"

namespace replay {

/// Of what changes with time, the best. Times in seconds; speed 1 works a second in a second.
struct Reach {
  struct Cluster {
    double speed = 0;    ///< of all its workers together
    double fastest = 0;  ///< of its workers
    double away = 0;  ///< a message's way there from the main PE's cluster, and back, without load
  };
  std::vector<Cluster> clusters;                     ///< the main PE's is the first
  using Ends = std::pair<std::size_t, std::size_t>;  ///< from, to
  double bandwidth = 0;  ///< between any two clusters, bytes a second; 0: there is no link
  std::map<Ends, double> links{};  ///< for these it is another

  double between(std::size_t from, std::size_t to) const {
    const auto link = links.find({from, to});
    return link == links.end() ? bandwidth : link->second;
  }
};

/// `speed_of_host`: in the units of absolute speeds, see GridCluster.
Reach reach_of(const trawl::fabric::GridFile& grid, double speed_of_host = 1);

/// One cluster, with workers of these speeds.
Reach reach_of(std::span<const double> speeds);

}  // namespace replay
