// What a PE knows of the others: speeds, loads, latencies, and how that knowledge spreads.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rts/inline/bytes.hpp"

namespace trawl::balance {

/// What does not change about a PE; exchanged at start-up. `speed` is relative, in any unit, > 0.
struct PeStatic {
  double speed = 1;
  int cores = 1;
  std::uint32_t host = 0;
  std::uint32_t cluster = 0;
};

/// A row of the load table (PEDynamic, Grid-GUM2 section 3). `measured` is on the clock all PEs
/// share: the main PE's, corrected.
struct Load {
  std::uint32_t sparks = 0;
  std::uint32_t runnable = 0;
  Nanos measured = 0;
};

/// A row of the latency table (Communication, Grid-GUM2 section 3).
struct Latency {
  Nanos one_way = 0;
  Nanos measured = 0;
};

/// The load and latency tables of one PE. Loads of all other PEs and latencies from `self` only:
/// who is near someone else is told by clusters. A `pe` argument must be in [0, size()).
class Tables {
 public:
  /// Entries about third PEs in a piggyback.
  static constexpr std::size_t max_relayed = 4;
  /// The bytes a piggyback takes at most, whatever the number of PEs.
  static constexpr std::size_t max_piggyback_bytes = 16 + 1 + max_relayed * 20;

  Tables(int self, int pes);

  int self() const noexcept { return self_; }
  int size() const noexcept { return static_cast<int>(loads_.size()); }

  /// Throws Error when the speed is not a positive number or there are no cores.
  void set_static(int pe, const PeStatic& facts);
  const PeStatic& static_of(int pe) const noexcept { return statics_[index(pe)]; }

  /// The mean speed of the living PEs, `self` among them.
  double mean_speed() const noexcept { return speeds_ / static_cast<double>(others_.size() + 1); }
  /// False when all PEs are in one cluster, so that clusters say nothing about distance.
  bool has_clusters() const noexcept { return foreign_ > 0; }

  /// Takes what is newer than the row there is; true if taken. Rows of `self` (which knows better)
  /// and of lost PEs are never taken.
  bool note_load(int pe, const Load& load);
  /// The load last heard of; `known(pe)` says whether any was.
  const Load& load_of(int pe) const noexcept { return loads_[index(pe)]; }
  bool known(int pe) const noexcept { return loads_[index(pe)].measured >= 0; }

  /// Newer wins here too. Rows that are not from `self` have no user and are dropped. A negative
  /// latency, an artefact of clock correction, counts as 0.
  bool note_latency(int from, int to, const Latency& latency);
  /// `measured` < 0: unknown.
  const Latency& latency_to(int pe) const noexcept { return latencies_[index(pe)]; }

  /// `pe` is lost: it is not chosen, and nothing about it is learned or relayed, ever again.
  void forget(int pe);
  bool lost(int pe) const noexcept { return pe != self_ && where_[index(pe)] < 0; }
  /// The living PEs other than `self`, in no particular order.
  std::span<const int> others() const noexcept { return others_; }

  /// Appends `own` as measured `now` and, for the PE `to`, at most max_relayed rows about others:
  /// first PEs that have sparks or have just run out of them, then all known ones in turn. Costs
  /// O(1).
  void write_piggyback(Writer& out, Nanos now, const Load& own, int to);
  /// Learns what `from` wrote, all of it or, throwing BadBytes, nothing. Times more than a second
  /// ahead of `now` become `now`. Returns the sender's own load: its `measured` is the time of
  /// sending, from which the latency of this message follows. Costs O(1).
  Load read_piggyback(Reader& in, int from, Nanos now);

 private:
  static constexpr std::size_t max_hot = 8;

  std::size_t index(int pe) const noexcept {
    assert(pe >= 0 && static_cast<std::size_t>(pe) < loads_.size());
    return static_cast<std::size_t>(pe);
  }
  void move_to(int pe, int place);
  void note_hot(int pe);

  int self_;
  std::vector<PeStatic> statics_;
  std::vector<Load> loads_;
  std::vector<Latency> latencies_;
  double speeds_;    // the sum over the living
  int foreign_ = 0;  // PEs outside the cluster of self

  std::vector<int> others_;  // the known_ PEs with a known load come first
  std::vector<int> where_;   // the place of each PE in others_; -1: not there
  int known_ = 0;
  std::array<int, max_hot> hot_{};  // the freshest PEs worth talking about
  std::size_t hots_ = 0;
  std::size_t next_hot_ = 0;
  std::size_t next_known_ = 0;
};

}  // namespace trawl::balance
