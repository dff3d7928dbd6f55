// Who goes through a structure of ours, packet after packet, and where he has got to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "rts/inline/bytes.hpp"

namespace trawl::heap {

/// Another PE on its way through a list or a tree. What it has been given ends in slots, its rest;
/// as long as it asks for these in the order in which they were expected it is given more.
struct Walk {
  using Slots = std::vector<std::uint64_t, PlainAllocator<std::uint64_t>>;

  std::uint32_t pe = 0;
  unsigned in_order = 0;   ///< packets that it has asked for one after the other
  bool branches = false;   ///< what is behind one slot comes before the other ones
  std::uint64_t used = 0;  ///< when, in packets of all
  Slots rest;              ///< still to be asked for; the last one comes next
  std::uint64_t lowest = 0;
  std::uint64_t highest = 0;  ///< of `rest`, at most

  bool depth_first() const noexcept { return branches && in_order != 0; }
  /// How many times as long as others its next packet may be.
  std::size_t packets() const noexcept {
    return std::size_t{1} << (in_order < doublings ? in_order : doublings);
  }

 private:
  /// A packet of 256 KiB, where others are of 64 KiB, takes some 0.3 ms to write, and as long the
  /// PE's lock is held.
  static constexpr unsigned doublings = 2;
};

/// The walks of late, of all PEs together.
class Walks {
 public:
  /// `pe` asks for this slot: the walk that goes on there; nullptr if none does. One that goes on
  /// elsewhere than was expected begins again with one packet.
  Walk* find(std::uint32_t pe, std::uint64_t slot);
  /// A packet goes to `pe` without these slots' nodes, for want of room; `of` is the walk that it
  /// answers, or nullptr.
  void left(Walk* of, std::uint32_t pe, const Walk::Slots& slots);

 private:
  static constexpr std::size_t most = 16;
  static constexpr std::size_t most_rest = 4096;  // of each

  std::array<Walk, most> walks_;
  std::size_t begun_ = 0;  // the others are still to be used
  std::uint64_t used_ = 0;
};

}  // namespace trawl::heap
