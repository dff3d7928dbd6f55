// How large the heap is to be: collections are to take a tenth of the time, where memory allows.
#pragma once

#include <cstddef>

#include "rts/inline/bytes.hpp"

namespace trawl::heap {

/// A heap that has just been collected.
struct Collected {
  std::size_t heap = 0;       ///< bytes
  std::size_t allocated = 0;  ///< bytes, since the collection before; more than it has: some freed
  std::size_t live = 0;       ///< bytes of pages that something is in
  Nanos took = 0;             ///< this one
  Nanos worked = 0;           ///< between them
};

/// By how much it is to grow, to `most` bytes at most. Pure. Marking takes time for what is alive,
/// and comes the less often the more room there is beside it.
std::size_t growth(const Collected& last, std::size_t most) noexcept;

}  // namespace trawl::heap
