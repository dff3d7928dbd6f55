// What a PE knows of the others: speeds, loads, latencies, and how that knowledge spreads.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "rts/balance/heard.hpp"
#include "rts/balance/links.hpp"
#include "rts/balance/roster.hpp"
#include "rts/inline/bytes.hpp"

namespace trawl::balance {

/// A row of the load table (PEDynamic, Grid-GUM2 section 3). `measured` is on the clock all PEs
/// share: the main PE's, corrected.
struct Load {
  static constexpr std::uint16_t full_pace = 1000;

  std::uint32_t sparks = 0;
  std::uint16_t runnable = 0;  ///< threads; so many at most
  /// How fast its workers are just now, of full_pace: less when others use their cores. More: the
  /// roster has rounded its speed.
  std::uint16_t pace = full_pace;
  Nanos measured = 0;

  Nanos when() const noexcept { return measured; }
};

/// A row of the latency table (Communication, Grid-GUM2 section 3). The least of about a second:
/// what takes longer has waited on its way.
struct Latency {
  Nanos one_way = 0;
  Nanos measured = 0;
};

/// How fishing in another cluster went, the last time.
struct Steal {
  Nanos took = -1;            ///< from FISH to answer; < 0: there was none
  Nanos ended = 0;            ///< by this PE's own clock
  unsigned in_vain = 0;       ///< so many in a row until then
  Nanos before = -1;          ///< what the one before that took
  bool brought_work = false;  ///< one has

  /// What the next may take. One that took very much longer than the one before it has perhaps met
  /// a PE that stood still; if it is the link, the next one will tell.
  Nanos believed() const noexcept {
    constexpr Nanos very_much = 10;
    return before < 0 ? took : std::min(took, very_much * before);
  }
  /// What one that brings work takes there, as far as can be told: with those in vain before it.
  /// 0: there was none.
  double price() const noexcept {
    return took < 0 ? 0 : static_cast<double>(believed()) * (1.0 + in_vain);
  }

  Nanos when() const noexcept { return ended; }
};

/// Of sizes, of which the last some dozens count most.
class RecentMean {
 public:
  void note(std::size_t bytes) noexcept;
  /// 0: there was none.
  std::size_t mean() const noexcept { return count_ == 0 ? 0 : sum_ / count_; }

 private:
  std::size_t count_ = 0, sum_ = 0;
};

/// The load and latency tables of one PE: loads of other PEs, latencies from `self` to each, and
/// those and bandwidths between clusters; of very many, those that were heard of last. A `pe`
/// argument must be in [0, size()).
class Tables {
 public:
  /// Entries about third PEs in a piggyback.
  static constexpr std::size_t max_relayed = 4;
  /// The bytes a piggyback takes at most, whatever the number of PEs; 24 less in one cluster.
  static constexpr std::size_t max_piggyback_bytes = 16 + 1 + max_relayed * 20 + 24;
  /// Rows of which kind are kept, at most: of PEs' loads, of latencies to PEs and between clusters,
  /// and of steals.
  static constexpr std::size_t max_loads = 256;
  static constexpr std::size_t max_latencies = 128;
  static constexpr std::size_t max_between = 512;
  static constexpr std::size_t max_steals = 256;

  /// PEs with sparks of which is kept who they are, near and far ones apart.
  static constexpr std::size_t max_hot = 8;

  /// Until it is told who they are, all PEs are alike.
  Tables(int self, int pes);

  int self() const noexcept { return self_; }
  int size() const noexcept { return roster_->size(); }

  /// Of as many PEs. Who is lost stays so.
  void set_roster(std::shared_ptr<const Roster> roster);
  const PeStatic& static_of(int pe) const noexcept { return (*roster_)[pe]; }

  /// Speed x workers: the mean of the living PEs, `self` among them, and the sum of a cluster's.
  double mean_strength() const noexcept { return roster_->mean_strength(); }
  double cluster_strength(std::uint32_t cluster) const noexcept {
    return roster_->strength(cluster);
  }
  /// As static_of says, at its present pace.
  double speed_now(int pe) const noexcept { return static_of(pe).speed * pace_of(pe); }
  double strength_now(int pe) const noexcept { return static_of(pe).strength() * pace_of(pe); }
  /// The mean of that of the living PEs, `self` among them; who was not heard of has kept its pace.
  double mean_strength_now() const;
  /// There are shared objects: told to all others from now on, as nothing that a message brings can
  /// refer to one before its receiver knows that there are any. By any thread.
  void note_objects() noexcept { std::atomic_ref(objects_).store(true, std::memory_order_relaxed); }
  bool objects_exist() const noexcept {
    return std::atomic_ref(objects_).load(std::memory_order_relaxed);
  }

  /// Of full_pace, at least 1; told to all others from now on.
  void set_own_pace(std::uint16_t pace) noexcept;
  /// What the roster says may be rounded: that rides with the pace.
  void set_own_strength(double strength) noexcept;

  std::uint32_t cluster_of(int pe) const noexcept { return static_of(pe).cluster; }
  std::uint32_t own_cluster() const noexcept { return own_cluster_; }
  bool is_far(int pe) const noexcept { return cluster_of(pe) != own_cluster(); }
  /// False when all PEs are in one cluster, so that clusters say nothing about distance.
  bool has_clusters() const noexcept { return !far().empty(); }
  /// Of the living PEs, in no particular order: those of a cluster, and those outside of ours.
  std::span<const int> members(std::uint32_t cluster) const noexcept {
    return roster_->members(cluster);
  }
  std::span<const int> far() const noexcept { return roster_->outside(own_cluster_); }
  /// The lowest living PE of a cluster; -1: there is none.
  int representative(std::uint32_t cluster) const noexcept {
    const auto all = members(cluster);
    return all.empty() ? -1 : all.front();
  }
  /// All numbers of clusters are less; so many have living PEs.
  std::uint32_t clusters() const noexcept { return roster_->clusters(); }
  std::uint32_t inhabited() const noexcept { return roster_->inhabited(); }

  /// Takes what is newer than the row there is; true if taken. Rows of `self` (which knows better)
  /// and of lost PEs are never taken.
  bool note_load(int pe, const Load& load);
  /// The load last heard of; `known(pe)` says whether any was.
  const Load& load_of(int pe) const noexcept {
    const auto* row = loads_.find(static_cast<std::uint64_t>(pe));
    return row == nullptr ? unknown_load : *row;
  }
  bool known(int pe) const noexcept { return load_of(pe).measured >= 0; }

  /// What a message from `pe`, or to it, took. Newer wins here too. A negative latency, an artefact
  /// of clock correction, counts as 0.
  bool note_latency(int pe, const Latency& latency);
  /// `measured` < 0: unknown.
  const Latency& latency_to(int pe) const noexcept;
  /// About the lowest there is; 0: none is known.
  Nanos lowest_latency() const noexcept { return lowest_ == never ? 0 : lowest_; }
  /// Between two different clusters, as one of their PEs told last; `measured` < 0: unknown.
  Latency latency_between(std::uint32_t one, std::uint32_t other) const noexcept;

  /// A message of so many bytes from `pe` took so long until `arrived`. Only of other clusters'.
  void note_transfer(int pe, std::size_t bytes, Nanos took, Nanos arrived) {
    if (is_far(pe) && is_told_of(pe)) links_.note_transfer(cluster_of(pe), bytes, took, arrived);
  }
  /// What is known of the links between clusters.
  const Links& links() const noexcept { return links_; }

  /// A result, or a spark, of so many bytes went to another cluster, or came from there.
  void note_result(std::size_t bytes) noexcept { results_.note(bytes); }
  /// One that stayed in this cluster.
  void note_near_result(std::size_t bytes) noexcept { near_results_.note(bytes); }
  void note_spark(std::size_t bytes) noexcept { sparks_.note(bytes); }
  /// Their means, of late; 0: there was none.
  std::size_t mean_result() const noexcept { return results_.mean(); }
  std::size_t mean_spark() const noexcept { return sparks_.mean(); }
  /// While there was no result, of those that stayed in this cluster.
  std::size_t mean_value() const noexcept {
    return mean_result() != 0 ? mean_result() : near_results_.mean();
  }

  /// A FISH to another cluster has been answered, or came home.
  void note_steal(std::uint32_t cluster, Nanos took, Nanos ended, bool brought_work);
  const Steal& last_steal(std::uint32_t cluster) const noexcept;
  /// Their keys are clusters.
  const Heard<Steal, max_steals>::Entries& steals() const noexcept { return steals_.entries(); }
  /// What the last steal took where it took least; 0: there was none.
  Nanos fastest_steal() const noexcept { return fastest_steal_; }
  /// The last steal in the cluster of the lowest price; `took` < 0: there was none.
  const Steal& best_steal() const noexcept { return best_steal_; }

  /// Who had sparks, or has just run out of them: the freshest rows, at most max_hot each; and what
  /// was heard of each last.
  std::span<const int> hot(bool far) const noexcept { return hot_[far ? 1 : 0].their_pes(); }
  std::span<const Load> hot_loads(bool far) const noexcept {
    return hot_[far ? 1 : 0].their_loads();
  }
  /// The latest time that a piggyback was written or read at, by the clock of `Load::measured`.
  Nanos latest() const noexcept { return latest_; }

  /// `pe` is lost: it is not chosen, and nothing about it is learned or relayed, ever again; but if
  /// it was not there at all yet, and comes.
  void forget(int pe);
  void take_in(int pe, const PeStatic& facts);
  bool lost(int pe) const noexcept { return roster_->lost(pe); }
  /// The living PEs other than `self`, in no particular order.
  std::span<const int> others() const noexcept { return roster_->others(self_); }

  /// Appends `own` as measured `now` and, for the PE `to`, at most max_relayed rows about others:
  /// first PEs that have sparks or have just run out of them, then all known ones in turn; and, of
  /// several clusters, one row of latencies or bandwidths. Costs O(1).
  void write_piggyback(Writer& out, Nanos now, const Load& own, int to);
  /// Learns what `from` wrote, all of it or, throwing BadBytes, nothing. Times more than a second
  /// ahead of `now` become `now`. Returns the sender's own load: its `measured` is the time of
  /// sending, from which the latency of this message follows. Costs O(1).
  Load read_piggyback(Reader& in, int from, Nanos now);

 private:
  /// `one` < `other`.
  struct Between {
    std::uint32_t one = 0;
    std::uint32_t other = 0;
    Latency latency{};

    Nanos when() const noexcept { return latency.measured; }
  };
  /// The least since the window before the present one began.
  struct Measured {
    Latency latency{.measured = -1};
    Nanos begun = 0;  // the present window
    Nanos least = 0;  // in it

    Nanos when() const noexcept { return latency.measured; }
  };
  /// With their loads: whoever looks for sparks looks here alone.
  struct Hot {
    std::array<int, max_hot> pes{};
    std::array<Load, max_hot> loads{};
    std::size_t count = 0;

    std::span<const int> their_pes() const noexcept { return {pes.data(), count}; }
    std::span<const Load> their_loads() const noexcept { return {loads.data(), count}; }
    /// Where it is; `count` if nowhere.
    std::size_t place_of(int pe) const noexcept;
    void note(int pe, const Load& load) noexcept;
    void remove(int pe) noexcept;
  };

  double pace_of(int pe) const noexcept {
    const auto pace = pe == self_ ? own_pace_ : load_of(pe).pace;
    return static_cast<double>(pace) / Load::full_pace;
  }
  /// A lost PE has no rows, nor has this one.
  bool is_told_of(int pe) const noexcept { return pe != self_ && !lost(pe); }
  void note_change(int pe, const Latency& latency);
  void note_between(const Between& row);
  void write_between(Writer& out, std::uint8_t& count, int to);
  Between get_between(Reader& in, Nanos now) const;
  Link get_link(Reader& in, Nanos now) const;
  void note_hot(int pe, const Load& load, bool news);

  static constexpr Load unknown_load{.measured = -1};

  int self_;
  std::shared_ptr<const Roster> roster_;
  std::uint32_t own_cluster_ = 0;
  std::uint16_t measured_pace_ = Load::full_pace;
  std::uint16_t own_pace_ = Load::full_pace;      // of what the roster says
  double own_strength_ = 0;                       // 0: as it says
  mutable std::optional<double> strength_now_{};  // of the living; nothing: a pace has changed
  mutable bool objects_ = false;  // mutable: there is no std::atomic_ref of what is const

  Heard<Load, max_loads> loads_;
  Heard<Measured, max_latencies> latencies_;
  Heard<Between, max_between> between_;  // by both clusters
  Heard<Steal, max_steals> steals_;
  Links links_;
  int nearest_ = -1;      // whose latency lowest_ is
  Nanos lowest_ = never;  // nothing is known
  Nanos fastest_steal_ = 0;
  Steal best_steal_{};
  RecentMean results_, near_results_, sparks_;
  Nanos latest_ = 0;
  std::array<Hot, 2> hot_{};  // near, far
  std::size_t next_hot_ = 0;
  std::size_t next_known_ = 0;
  std::size_t next_between_ = 0;
};

}  // namespace trawl::balance
