// What a PE knows of the others: speeds, loads, latencies, and how that knowledge spreads.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "rts/inline/bytes.hpp"

namespace trawl::balance {

/// What does not change about a PE; exchanged at start-up. `speed` is a worker's, relative, in any
/// unit, > 0.
struct PeStatic {
  double speed = 1;
  int cores = 1;  ///< one for each worker
  std::uint32_t host = 0;
  std::uint32_t cluster = 0;

  double strength() const noexcept { return speed * cores; }
};

/// A row of the load table (PEDynamic, Grid-GUM2 section 3). `measured` is on the clock all PEs
/// share: the main PE's, corrected.
struct Load {
  static constexpr std::uint16_t full_pace = 1000;

  std::uint32_t sparks = 0;
  std::uint16_t runnable = 0;  ///< threads; so many at most
  /// How fast its workers are just now, of full_pace: less when others use their cores.
  std::uint16_t pace = full_pace;
  Nanos measured = 0;
};

/// A row of the latency table (Communication, Grid-GUM2 section 3). The least of about a second:
/// what takes longer has waited on its way.
struct Latency {
  Nanos one_way = 0;
  Nanos measured = 0;
};

/// How fishing in another cluster went, the last time.
struct Steal {
  Nanos took = -1;       ///< from FISH to answer; < 0: there was none
  Nanos ended = 0;       ///< by this PE's own clock
  unsigned in_vain = 0;  ///< so many in a row until then
};

/// The load and latency tables of one PE: loads of all other PEs, latencies from `self` to each,
/// and those between clusters. A `pe` argument must be in [0, size()).
class Tables {
 public:
  /// Entries about third PEs in a piggyback.
  static constexpr std::size_t max_relayed = 4;
  /// The bytes a piggyback takes at most, whatever the number of PEs; 24 less in one cluster.
  static constexpr std::size_t max_piggyback_bytes = 16 + 1 + max_relayed * 20 + 24;
  /// Pairs of clusters whose latency is known, at most: the first so many heard of.
  static constexpr std::size_t max_latency_rows = 1024;

  /// PEs with sparks of which is kept who they are, near and far ones apart.
  static constexpr std::size_t max_hot = 8;

  Tables(int self, int pes);

  int self() const noexcept { return self_; }
  int size() const noexcept { return static_cast<int>(loads_.size()); }

  /// Throws Error when the speed is not a positive number or there are no cores.
  void set_static(int pe, const PeStatic& facts);
  const PeStatic& static_of(int pe) const noexcept { return statics_[index(pe)]; }

  /// Speed x workers: the mean of the living PEs, `self` among them, and the sum of a cluster's.
  double mean_strength() const noexcept {
    return strengths_ / static_cast<double>(others_.size() + 1);
  }
  double cluster_strength(std::uint32_t cluster) const noexcept {
    return clusters_[cluster].strength;
  }
  /// As static_of says, at its present pace.
  double speed_now(int pe) const noexcept { return static_of(pe).speed * pace_of(pe); }
  double strength_now(int pe) const noexcept { return static_of(pe).strength() * pace_of(pe); }
  /// Of full_pace, at least 1; told to all others from now on.
  void set_own_pace(std::uint16_t pace) noexcept;

  std::uint32_t cluster_of(int pe) const noexcept { return static_of(pe).cluster; }
  std::uint32_t own_cluster() const noexcept { return cluster_of(self_); }
  bool is_far(int pe) const noexcept { return cluster_of(pe) != own_cluster(); }
  /// False when all PEs are in one cluster, so that clusters say nothing about distance.
  bool has_clusters() const noexcept { return !far_.empty(); }
  /// Of the living PEs, in no particular order: those of a cluster, and those outside of ours.
  std::span<const int> members(std::uint32_t cluster) const noexcept {
    return clusters_[cluster].members;
  }
  std::span<const int> far() const noexcept { return far_; }
  /// The lowest living PE of a cluster; -1: there is none.
  int representative(std::uint32_t cluster) const noexcept { return clusters_[cluster].lowest; }
  /// All numbers of clusters are less.
  std::uint32_t clusters() const noexcept { return static_cast<std::uint32_t>(clusters_.size()); }

  /// Takes what is newer than the row there is; true if taken. Rows of `self` (which knows better)
  /// and of lost PEs are never taken.
  bool note_load(int pe, const Load& load);
  /// The load last heard of; `known(pe)` says whether any was.
  const Load& load_of(int pe) const noexcept { return loads_[index(pe)]; }
  bool known(int pe) const noexcept { return loads_[index(pe)].measured >= 0; }

  /// What a message from `pe`, or to it, took. Newer wins here too. A negative latency, an artefact
  /// of clock correction, counts as 0.
  bool note_latency(int pe, const Latency& latency);
  /// `measured` < 0: unknown.
  const Latency& latency_to(int pe) const noexcept { return latencies_[index(pe)].latency; }
  /// About the lowest there is; 0: none is known.
  Nanos lowest_latency() const noexcept { return lowest_ == never ? 0 : lowest_; }
  /// Between two different clusters, as one of their PEs told last; `measured` < 0: unknown.
  Latency latency_between(std::uint32_t one, std::uint32_t other) const noexcept;

  /// A FISH to another cluster has been answered, or came home.
  void note_steal(std::uint32_t cluster, Nanos took, Nanos ended, bool brought_work);
  const Steal& last_steal(std::uint32_t cluster) const noexcept { return clusters_[cluster].steal; }
  /// What the last steal took where it took least; 0: there was none.
  Nanos best_steal() const noexcept { return best_steal_; }

  /// Who had sparks, or has just run out of them: the freshest rows, at most max_hot each.
  std::span<const int> hot(bool far) const noexcept { return hot_[far ? 1 : 0].pes(); }
  /// The latest time that a piggyback was written or read at, by the clock of `Load::measured`.
  Nanos latest() const noexcept { return latest_; }

  /// `pe` is lost: it is not chosen, and nothing about it is learned or relayed, ever again.
  void forget(int pe);
  bool lost(int pe) const noexcept { return pe != self_ && where_[index(pe)] < 0; }
  /// The living PEs other than `self`, in no particular order.
  std::span<const int> others() const noexcept { return others_; }

  /// Appends `own` as measured `now` and, for the PE `to`, at most max_relayed rows about others:
  /// first PEs that have sparks or have just run out of them, then all known ones in turn; and, of
  /// several clusters, one row of latencies. Costs O(1).
  void write_piggyback(Writer& out, Nanos now, const Load& own, int to);
  /// Learns what `from` wrote, all of it or, throwing BadBytes, nothing. Times more than a second
  /// ahead of `now` become `now`. Returns the sender's own load: its `measured` is the time of
  /// sending, from which the latency of this message follows. Costs O(1).
  Load read_piggyback(Reader& in, int from, Nanos now);

 private:
  struct Cluster {
    std::vector<int> members;
    double strength = 0;
    int lowest = -1;
    Steal steal;
  };
  /// `one` < `other`.
  struct Between {
    std::uint32_t one = 0;
    std::uint32_t other = 0;
    Latency latency{};
  };
  /// The least since the window before the present one began.
  struct Measured {
    Latency latency{.measured = -1};
    Nanos begun = 0;  // the present window
    Nanos least = 0;  // in it
  };
  struct Hot {
    std::array<int, max_hot> all{};
    std::size_t count = 0;

    std::span<const int> pes() const noexcept { return {all.data(), count}; }
    void remove(int pe) noexcept;
  };

  std::size_t index(int pe) const noexcept {
    assert(pe >= 0 && static_cast<std::size_t>(pe) < loads_.size());
    return static_cast<std::size_t>(pe);
  }
  double pace_of(int pe) const noexcept {
    const auto pace = pe == self_ ? own_pace_ : load_of(pe).pace;
    return static_cast<double>(pace) / Load::full_pace;
  }
  void move_to(int pe, int place);
  void note_change(int pe, const Latency& latency);
  void note_between(const Between& row);
  Between get_between(Reader& in, Nanos now) const;
  void note_hot(int pe);
  void enter_cluster(int pe);
  void leave_cluster(int pe);
  void put_far(int pe);
  void take_from_far(int pe);

  int self_;
  std::vector<PeStatic> statics_;
  std::vector<Load> loads_;
  std::vector<Measured> latencies_;
  std::vector<Between> between_;
  std::unordered_map<std::uint64_t, std::size_t> between_at_;  // by both clusters
  std::uint16_t own_pace_ = Load::full_pace;
  double strengths_;      // the sum over the living
  int nearest_ = -1;      // whose latency lowest_ is
  Nanos lowest_ = never;  // nothing is known
  Nanos latest_ = 0;

  std::vector<int> others_;  // the known_ PEs with a known load come first
  std::vector<int> where_;   // the place of each PE in others_; -1: not there
  int known_ = 0;
  std::vector<Cluster> clusters_;
  std::vector<int> place_;  // of each PE in the members of its cluster
  std::vector<int> far_;
  std::vector<int> far_place_;         // of each PE in far_; -1: not there
  std::vector<std::uint32_t> stolen_;  // clusters that have a last steal
  Nanos best_steal_ = 0;
  std::array<Hot, 2> hot_{};  // near, far
  std::size_t next_hot_ = 0;
  std::size_t next_known_ = 0;
  std::size_t next_between_ = 0;
};

}  // namespace trawl::balance
