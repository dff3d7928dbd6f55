// Messages over MPI, and how a process started by mpiexec begins and ends.
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
struct Place {
  int pes_on_host;
  int index_on_host;
  std::vector<pid_t> processes{};  ///< of the PEs there, this one's included
};

/// A PE joined to the others.
struct Joined {
  std::unique_ptr<Fabric> fabric;
  Place place;
  /// Memory that all PEs share, zeros at first; empty if they are on several hosts.
  std::span<std::byte> board{};
  std::vector<std::uint64_t> said{};  ///< by each PE, when it joined
};

/// Joins the PEs that were started together. All of them call this once, before they use any other
/// thread; from then on the process ends by `leave` only. Throws Error when MPI can't do what is
/// needed.
///
/// `says` is told to all of them before any message.
///
/// The fabric's calls may come from different threads, one at a time. A message that a PE which
/// died was to receive may stay unflushed for ever.
Joined make_mpi(std::uint64_t says);

/// Ends the process: flushes its output, tells mpiexec that this end is meant, and exits without
/// MPI_Finalize, which can hang. It waits for no one: agree first that nobody needs this PE any
/// more (README.md, Leaving). To be called under the lock of the PE, if make_mpi was.
[[noreturn]] void leave(int code);

}  // namespace trawl::fabric
