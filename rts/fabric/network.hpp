// When messages arrive on a described grid: the occupancy of its links, as in the WAN emulation of
// Satin's paper (section 3).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rts/fabric/grid_file.hpp"

namespace trawl::fabric {

/// Knows no clock: `now` is the caller's, in nanoseconds since the beginning of the run.
class Network {
 public:
  /// When each link is free again, by from * clusters + to. In memory that several processes share,
  /// if they share the links; all 0 at first.
  using Free = std::span<std::atomic<Nanos>>;

  /// Throws Error (exit code 2) when two clusters can't reach each other.
  explicit Network(GridFile grid);
  Network(GridFile grid, Free links);

  const GridFile& grid() const noexcept { return grid_; }

  /// Sends a message of so many bytes `now`: when it arrives. Loads each link on its way. `random`
  /// bits are for the jitter.
  Nanos send(int from_pe, int to_pe, std::size_t bytes, Nanos now, std::uint64_t random);

  /// Bytes that wait for the link to `to_pe`, or are on it.
  std::size_t unsent(int from_pe, int to_pe, Nanos now) const;

  /// No message takes less, ever.
  Nanos least_latency() const noexcept;

  /// So many bytes take no longer over any link that is free.
  Nanos longest(std::size_t bytes) const noexcept;

  /// What there is between two different clusters at that moment, if the link is not missing.
  Line line_at(int from, int to, Nanos now) const;

  /// What a link has carried, for whatever clusters.
  struct Carried {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    Nanos busy = 0;
  };
  /// Of what was sent through this object; `busy` until then, which is not before the last `send`.
  Carried carried_until(int from, int to, Nanos then) const;
  /// From which clusters to which it was, in order.
  std::vector<std::pair<int, int>> used_links() const;

  /// The share of its speed that a PE has at that moment, and until when.
  struct Pace {
    double share = 1;
    Nanos until = never;
  };
  Pace pace_of(int pe, Nanos now) const noexcept;

 private:
  struct Stretch {
    Line line;
    Nanos until;
  };
  /// Of many clusters most links never carry anything.
  struct Use {
    std::atomic<Nanos> free{0};  // if links are not shared
    Carried carried{};
  };

  Stretch stretch_at(int from, int to, Nanos now) const;
  Nanos carried(int from, int to, std::size_t bytes, Nanos begins) const;
  Nanos hop(int from, int to, std::size_t bytes, Nanos sent, Nanos reaches, std::uint64_t random);
  int next_hop(int from, int to) const noexcept;
  std::size_t index(int from, int to) const noexcept {
    return static_cast<std::size_t>(from) * grid_.clusters.size() + static_cast<std::size_t>(to);
  }
  Nanos free_at(int from, int to) const;
  void find_routes();
  void place_pes();
  int cluster_of(int pe) const noexcept { return cluster_of_[static_cast<std::size_t>(pe)]; }

  GridFile grid_;
  std::vector<int> cluster_of_;  // by PE
  Free shared_;
  std::unordered_map<std::size_t, Use> used_;  // by from * clusters + to
  std::vector<std::int16_t> next_;             // the same, if links are missing
};

}  // namespace trawl::fabric
