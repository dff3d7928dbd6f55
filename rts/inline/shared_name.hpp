// What all PEs know a bound or a replicated object by.
#pragma once

#include <cstdint>

namespace trawl::sched {

/// Alike on all PEs; number 0: of none.
struct SharedName {
  std::uint32_t pe = 0;  ///< where it was made
  std::uint32_t number = 0;

  std::uint64_t key() const noexcept { return std::uint64_t{pe} << 32U | number; }

  friend bool operator==(const SharedName&, const SharedName&) = default;
};

}  // namespace trawl::sched
