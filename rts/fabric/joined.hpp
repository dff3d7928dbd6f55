// A PE joined to the others, whatever fabric carries its messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <sys/types.h>

#include "rts/fabric/fabric.hpp"

namespace trawl::fabric {

/// Where this PE sits among those of its host.
struct AmongHost {
  int pes_on_host;
  std::vector<pid_t> processes{};  ///< of the PEs there, this one's included
};

struct Joined {
  std::unique_ptr<Fabric> fabric;
  AmongHost place;
  /// Memory that all PEs share, zeros at first; empty if they are on several hosts.
  std::span<std::byte> board{};
  std::vector<std::uint64_t> said{};  ///< by each PE, when it joined
};

}  // namespace trawl::fabric
