// While a packet is read: in which of its nodes each was found first, and as what (lineage.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "rts/heap/lineage.hpp"
#include "rts/inline/memory.hpp"

namespace trawl::heap {

/// Nodes are read in the order of their places.
class Ways {
 public:
  /// Notes what is found from now on, of a packet of so many nodes; otherwise nothing is noted.
  void begin(std::size_t nodes) {
    const StorageScope scope(Storage::owned_plain);
    found_ = new std::uint64_t[nodes];
    std::fill_n(found_, nodes, Lineage::nowhere);
    nodes_ = nodes;
    again_.assign(nodes, Lineage::nowhere);
    refers_.assign(nodes, false);
  }
  bool noted() const noexcept { return found_ != nullptr; }
  /// As in Lineage; in memory of the collector's.
  const std::uint64_t* found() const noexcept { return found_; }

  /// Where a node was found last, if it was more than once.
  std::uint64_t found_again(std::uint32_t place) const noexcept {
    return again_.empty() ? Lineage::nowhere : again_[place];
  }

  void next_node() noexcept {
    ++reading_;
    handles_ = 0;
  }
  void begin_arguments() noexcept { handles_ = Lineage::in_arguments; }

  /// The node that is being read refers to this one.
  void note(std::uint32_t place) noexcept {
    auto& found = found_[place];
    (found == Lineage::nowhere ? found : again_[place]) = Lineage::as_found(reading_, handles_);
    ++handles_;
    refers_[reading_] = true;
  }
  /// Does the node at this place refer to any?
  bool refers(std::uint32_t place) const noexcept { return refers_[place]; }

  /// By place: what has no lineage gets that of the node in which it was found. A node comes behind
  /// the one in which it was found.
  void pass_down(std::vector<Lineage*>& lineages) const {
    for (std::size_t place = 1; place < nodes_; ++place) {
      if (lineages[place] != nullptr || found_[place] == Lineage::nowhere) continue;
      const auto in = found_[place] >> 32U;
      if (in < place) lineages[place] = lineages[in];
    }
  }

 private:
  std::uint64_t* found_ = nullptr;
  std::vector<std::uint64_t> again_;  // by place
  std::vector<bool> refers_;          // the same
  std::size_t nodes_ = 0;
  std::uint32_t reading_ = 0;  // the place of the node that is being read
  std::uint32_t handles_ = 0;  // that were read of it
};

}  // namespace trawl::heap
