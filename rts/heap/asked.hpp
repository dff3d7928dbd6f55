// Which slots others have asked for of late: who asks for neighbours is likely to go on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace trawl::heap {

/// What a PE finds in one container or tree it knows by slots that were given out one after the
/// other. So slots that follow each other are asked for together: by who walks along a list of
/// references, or through several at a time. Costs O(1), and a few KB.
class Asked {
 public:
  /// So many slots a block; and so many, at most, follow one that is asked for.
  static constexpr std::uint64_t block = 32;

  /// `pe` asks for this slot. Is it the second time in the same block, or the first behind what it
  /// was given together?
  bool again(std::uint32_t pe, std::uint64_t slot) noexcept {
    auto& place = place_of(pe, slot);
    const auto key = key_of(pe, slot);
    const bool known = place == key;
    place = key;
    return known;
  }
  /// Those up to this one have gone along.
  void followed(std::uint32_t pe, std::uint64_t last) noexcept {
    place_of(pe, last + 1) = key_of(pe, last + 1);
  }

 private:
  static constexpr std::size_t places = 256;

  static std::uint64_t key_of(std::uint32_t pe, std::uint64_t slot) noexcept {
    return (slot / block << 24U) + pe + 1;
  }
  std::uint64_t& place_of(std::uint32_t pe, std::uint64_t slot) noexcept {
    return of_late_[(slot / block + pe * std::uint64_t{37}) % places];
  }

  std::array<std::uint64_t, places> of_late_{};
};

}  // namespace trawl::heap
