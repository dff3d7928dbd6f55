// Messages over MPI, and how a process started by mpiexec begins.
#pragma once

#include <cstdint>

#include "rts/fabric/joined.hpp"

namespace trawl::fabric {

/// Joins the PEs that were started together. All of them call this once, before they use any other
/// thread; from then on the process ends by `leave` only. Throws Error when MPI can't do what is
/// needed.
///
/// `says` is told to all of them before any message.
///
/// The fabric's calls may come from different threads, one at a time. A message that a PE which
/// died was to receive may stay unflushed for ever.
Joined make_mpi(std::uint64_t says);

}  // namespace trawl::fabric
