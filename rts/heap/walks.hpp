// Who goes through a structure of ours, packet after packet, and where he has got to.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "rts/inline/bytes.hpp"

namespace trawl::heap {

/// Another PE on its way through a list or a tree. What it has been given ends in slots, its rest;
/// as long as it asks for these in the order in which they were expected it is given more.
struct Walk {
  using Slots = std::vector<std::uint64_t, PlainAllocator<std::uint64_t>>;
  /// From `next` on, up to `end`: slots are given out one after the other.
  struct Stretch {
    std::uint64_t next;
    std::uint64_t end;
  };

  std::uint32_t pe = 0;
  unsigned in_order = 0;   ///< packets that it has asked for one after the other
  Nanos answered = 0;      ///< when the last one with a thunk was sent
  std::size_t moved = 1;   ///< thunks that it asks behind: what they take lies between the two
  bool branches = false;   ///< what is behind one slot comes before the other ones
  std::uint64_t used = 0;  ///< when, in packets of all
  std::vector<Stretch, PlainAllocator<Stretch>>
      rest;  ///< still to be asked for; the last comes next

  /// Takes this slot out of the rest, and expects those behind it: was it the next one? Nothing:
  /// it is none of the rest.
  std::optional<bool> ask(std::uint64_t slot);
  /// The slot that is expected next; 0: none.
  std::uint64_t next() const noexcept { return rest.empty() ? 0 : rest.back().next; }
  void pass_next() noexcept {
    if (++rest.back().next == rest.back().end) rest.pop_back();
  }
  /// These come before all others.
  void expect(const Slots& slots);

  bool depth_first() const noexcept { return branches && in_order != 0; }
  /// How many times as long as others its next packet may be.
  std::size_t packets() const noexcept {
    return std::size_t{1} << (in_order < doublings ? in_order : doublings);
  }
  /// How many thunks it evaluates in that time, to go by those of its last packet, if they can have
  /// been: what asks sooner than a message goes there and back has asked for several at once.
  std::size_t thunks_in(Nanos time, Nanos now, Nanos round_trip) const noexcept {
    const auto took = now - answered;
    if (took < round_trip) return 0;
    constexpr double most = 1e9;
    const double thunks = static_cast<double>(time) * static_cast<double>(moved) /
                          static_cast<double>(std::max<Nanos>(took, 1));
    return static_cast<std::size_t>(std::min(thunks, most));
  }

 private:
  /// A packet of 256 KiB, where others are of 64 KiB, takes some 0.3 ms to write, and as long the
  /// PE's lock is held.
  static constexpr unsigned doublings = 2;
  /// More are not looked through; those that would come last are forgotten.
  static constexpr std::size_t most_stretches = 512;
};

/// The walks of late, of all PEs together.
class Walks {
 public:
  /// `pe` asks for this slot: the walk that goes on there; nullptr if none does. One that goes on
  /// elsewhere than was expected begins again with one packet.
  Walk* find(std::uint32_t pe, std::uint64_t slot);
  /// A packet goes to `pe` without these slots' nodes, as it holds enough; `of` is the walk that it
  /// answers, or nullptr. The walk that goes on behind it, or nullptr.
  Walk* left(Walk* of, std::uint32_t pe, const Walk::Slots& slots);

 private:
  static constexpr std::size_t most = 16;
  std::array<Walk, most> walks_;
  std::size_t begun_ = 0;  // the others are still to be used
  std::uint64_t used_ = 0;
};

}  // namespace trawl::heap
