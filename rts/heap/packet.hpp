// What pack.cpp writes and unpack.cpp reads: the table of a packet.
#pragma once

#include <cstdint>
#include <limits>

#include "rts/inline/packer.hpp"

namespace trawl::heap {

enum class Part : std::uint8_t {
  value,
  named_value,
  failure,
  thunk,
  reference,
  rest,             ///< a reference to a value that would have come along, had there been room
  shared_value,     ///< with a reference behind it, by which it is named from now on
  lost,             ///< in place of the root: its value was lost with a PE
  handed_back,      ///< ... the spark that was sent here is not evaluated here
  large_reference,  ///< a reference to a value that takes more than half a packet by itself
  value_reference,  ///< to another that takes more room than it may
};

constexpr bool is_reference(Part part) noexcept {
  return part == Part::reference || part == Part::rest || part == Part::large_reference ||
         part == Part::value_reference;
}

/// Nodes that follow each other and are alike. The root is alone, and so is a node without bytes:
/// so there are no more nodes than bytes.
struct Run {
  std::uint64_t size = 0;  ///< of each
  std::uint32_t count = 1;
  std::uint32_t code = 0;
  Part part = Part::reference;
  std::uint8_t takes_long = 0;  ///< of the first: so much is lent that reading it does
  std::uint8_t in_order = 0;    ///< of the first: the first `rest` is what is needed next
  std::uint8_t unused[5] = {};

  bool fits(const Run& next) const noexcept {
    return size == next.size && code == next.code && part == next.part && size != 0 &&
           count != std::numeric_limits<std::uint32_t>::max();
  }
};

}  // namespace trawl::heap
