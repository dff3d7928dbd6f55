// A described grid: clusters of PEs, the links between them, and how all that changes with time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rts/inline/bytes.hpp"

namespace trawl::fabric {

/// What a message meets on its way.
struct Line {
  Nanos latency = 0;          ///< one way
  double bytes_per_nano = 1;  ///< bandwidth, in GB/s
  Nanos jitter = 0;           ///< each message is late by up to this much more

  friend bool operator==(const Line&, const Line&) = default;
};

struct GridCluster {
  std::string name;
  int first_pe = 0;
  int pes = 1;
  int workers = 1;  ///< of each PE
  double speed = 1;
  bool speed_is_absolute = false;  ///< in the units of measure_speed; else 1 is this machine
  Line inside{};

  /// Relative to a host that measures itself at `of_host`.
  double speed_on(double of_host) const noexcept {
    return speed_is_absolute ? speed / of_host : speed;
  }
};

/// From one cluster to another. A link carries one message at a time.
struct GridLink {
  struct Change {
    Nanos at = 0;
    Line line{};
  };

  Line line{};
  bool missing = false;  ///< messages go by way of other clusters
  std::vector<Change> changes{};
  Nanos period = 0;  ///< after which they come again; 0: never
};

/// All links get new values every so often, drawn from shares of their own ones.
struct RandomChanges {
  Nanos every = 0;  ///< 0: never
  double least_bandwidth = 1;
  double most_bandwidth = 1;
  double least_latency = 1;
  double most_latency = 1;
  std::uint64_t seed = 1;
};

struct SpeedChange {
  int pe = 0;
  Nanos at = 0;
  double speed = 1;  ///< as a share of what it has else
};

/// A PE that is not there all the time: any but the main one.
struct GridChange {
  enum class What : std::uint8_t {
    joins,  ///< until then its seat is empty
    dies,   ///< with all that it has
  };
  int pe = 0;
  Nanos at = 0;
  What what = What::dies;
};

/// PEs are numbered in the order of their clusters.
struct GridFile {
  /// Where routes have to be found there can't be more.
  static constexpr int most_clusters_with_missing_links = 256;
  static constexpr int most_pes = 1 << 20;

  std::vector<GridCluster> clusters{};
  GridLink between{};                               ///< any two for which there is no other
  std::map<std::pair<int, int>, GridLink> links{};  ///< from, to
  RandomChanges random_changes{};
  std::vector<SpeedChange> speed_changes{};  ///< by time
  std::vector<GridChange> changes{};         ///< by time

  int pes() const noexcept {
    return clusters.empty() ? 0 : clusters.back().first_pe + clusters.back().pes;
  }
  int cluster_of(int pe) const noexcept;
  /// How many PEs do this: of those that join, the last ones.
  int count(GridChange::What what) const noexcept;
  const GridLink& link(int from, int to) const;
  /// The largest share of its speed that a PE ever has.
  double best_share(int pe) const noexcept;
  bool has_missing_links() const noexcept;
};

/// Throws Error (exit code 2): one line that names the file, the place in it, what is wrong and
/// what would be right. The format: profiles/grids/README.md.
GridFile read_grid_file(const std::string& name);
/// The same for its text; `name` is what errors call it.
GridFile parse_grid(std::string_view text, const std::string& name);

/// Of the bytes of such a file, which may be any; nothing if it can't be read.
std::optional<std::uint64_t> digest_of_grid_file(const std::string& name);

}  // namespace trawl::fabric
