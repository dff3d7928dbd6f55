// The static facts of all PEs (Grid-GUM2, section 3), and who is in which cluster.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace trawl::balance {

/// What does not change about a PE; exchanged at start-up. `speed` is a worker's, relative, in any
/// unit, > 0.
struct PeStatic {
  double speed = 1;
  int cores = 1;  ///< one for each worker
  std::uint32_t cluster = 0;
  std::int64_t memory = 0;  ///< bytes that its heap may take; 0: nobody knows

  double strength() const noexcept { return speed * cores; }

  friend bool operator==(const PeStatic&, const PeStatic&) = default;
};

/// `times` times in a row: a cluster whose number is greater by `step`, and in it `pes` PEs alike.
/// So a grid of equal clusters is one of them. The number before the first cluster's is 0.
struct Alike {
  std::uint32_t times = 1;
  std::uint32_t pes = 1;
  std::int32_t step = 0;
  std::int32_t cores = 1;
  double speed = 1;
  std::int64_t memory = 0;

  friend bool operator==(const Alike&, const Alike&) = default;
};

/// In the order of PEs.
std::vector<Alike> in_short(std::span<const PeStatic> facts);
/// At most so many, or two for each that the clusters alone take: PEs in a row that differ little
/// are told to be alike, each as strong as they are on average, with the least memory of theirs.
std::vector<Alike> in_short(std::span<const PeStatic> facts, std::size_t most);

/// Never changes, so all PEs of a process share it. A `pe` argument must be in [0, size()).
class Roster {
 public:
  /// There is one of these in a process for as long as somebody has it. Throws Error when a speed
  /// is not a positive number or there are no cores.
  static std::shared_ptr<const Roster> shared(std::vector<Alike> all);

  /// As this one, without a PE: it is lost; or with one, which has come late. Cost O(size()).
  std::shared_ptr<const Roster> without(int pe) const;
  std::shared_ptr<const Roster> with(int pe, const PeStatic& facts) const;

  int size() const noexcept { return static_cast<int>(facts_.size()); }
  int living() const noexcept { return static_cast<int>(living_); }
  const PeStatic& operator[](int pe) const noexcept { return facts_[index(pe)]; }
  bool lost(int pe) const noexcept { return place_[index(pe)] < 0; }

  /// All numbers of clusters are less.
  std::uint32_t clusters() const noexcept { return static_cast<std::uint32_t>(clusters_.size()); }
  /// Clusters with a living PE.
  std::uint32_t inhabited() const noexcept { return inhabited_; }
  /// Of the living, and in no particular order: a cluster's; those of all others; all but one.
  std::span<const int> members(std::uint32_t cluster) const noexcept {
    return in_order(clusters_[cluster].first, clusters_[cluster].count);
  }
  std::span<const int> outside(std::uint32_t cluster) const noexcept {
    const auto& own = clusters_[cluster];
    return in_order(own.first + own.count, living_ - own.count);
  }
  std::span<const int> others(int pe) const noexcept {
    return in_order(static_cast<std::size_t>(place_[index(pe)]) + 1, living_ - 1);
  }
  /// Speed x workers of the living: the mean, and a cluster's sum.
  double mean_strength() const noexcept { return strength_ / static_cast<double>(living_); }
  double strength(std::uint32_t cluster) const noexcept { return clusters_[cluster].strength; }

 private:
  struct Cluster {
    std::size_t first = 0;
    std::size_t count = 0;
    double strength = 0;
  };

  Roster(std::vector<PeStatic> facts, const std::vector<bool>& living);

  std::size_t index(int pe) const noexcept {
    assert(pe >= 0 && pe < size());
    return static_cast<std::size_t>(pe);
  }
  std::span<const int> in_order(std::size_t first, std::size_t count) const noexcept {
    return std::span(order_).subspan(first, count);
  }

  std::vector<PeStatic> facts_;
  // Twice the living, in the order of their clusters, and in each of their numbers: whoever is to
  // be left out of them all, the rest is in a row.
  std::vector<int> order_;
  std::vector<int> place_;  // of each PE in the order; -1: lost
  std::vector<Cluster> clusters_;
  std::size_t living_ = 0;
  std::uint32_t inhabited_ = 0;
  double strength_ = 0;
};

}  // namespace trawl::balance
