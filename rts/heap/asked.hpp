// Which slots others have asked for of late: who asks for neighbours is likely to go on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rts/inline/bytes.hpp"

namespace trawl::heap {

/// What a PE finds in one container or tree it knows by slots that were given out one after the
/// other. So slots that follow each other are asked for together: by who walks along a list of
/// references, or through several at a time, down the columns of a table, say. Costs O(1), and 2
/// KB, up to 32 where so many are gone through at a time.
class Asked {
 public:
  /// So many slots a block; and so many, at most, follow one that is asked for.
  static constexpr std::uint64_t block = 32;

  /// `pe` asks for this slot. Is it the second time in the same block, or the first behind what it
  /// was given together?
  bool again(std::uint32_t pe, std::uint64_t slot) {
    auto& place = place_of(pe, slot);
    const auto key = key_of(pe, slot);
    if (place == key) return true;
    if (place != 0 && ++displaced_ > of_late_.size() && of_late_.size() < most) {
      of_late_.assign(4 * of_late_.size(), 0);  // what was known of these few is no loss
      displaced_ = 0;
      place_of(pe, slot) = key;
    } else {
      place = key;
    }
    return false;
  }
  /// Those up to this one have gone along.
  void followed(std::uint32_t pe, std::uint64_t last) noexcept {
    place_of(pe, last + 1) = key_of(pe, last + 1);
  }

 private:
  static constexpr std::size_t fewest = 256;
  static constexpr std::size_t most = 4096;

  static std::uint64_t key_of(std::uint32_t pe, std::uint64_t slot) noexcept {
    return (slot / block << 24U) + pe + 1;
  }
  std::uint64_t& place_of(std::uint32_t pe, std::uint64_t slot) noexcept {
    return of_late_[(slot / block + pe * std::uint64_t{37}) % of_late_.size()];
  }

  std::vector<std::uint64_t, PlainAllocator<std::uint64_t>> of_late_ =
      std::vector<std::uint64_t, PlainAllocator<std::uint64_t>>(fewest, 0);
  std::size_t displaced_ = 0;
};

}  // namespace trawl::heap
