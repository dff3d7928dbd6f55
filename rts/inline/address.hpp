// Global addresses: how a PE names nodes of other PEs (heap/global_address_table.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

namespace trawl::heap {

/// Where a node lives. `slot` is never used twice by one PE.
struct Address {
  std::uint32_t pe = 0;
  std::uint32_t unused = 0;  // no padding on the wire
  std::uint64_t slot = 0;

  friend bool operator==(const Address&, const Address&) = default;
  friend std::size_t hash_value(const Address& a) noexcept {
    return (a.slot * 0x9e3779b97f4a7c15U) ^ (std::size_t{a.pe} << 48U);
  }
};

using Weight = std::uint64_t;

/// An address and a share of its weight.
struct Reference {
  Address at;
  Weight weight = 0;

  friend bool operator==(const Reference&, const Reference&) = default;
};

}  // namespace trawl::heap
