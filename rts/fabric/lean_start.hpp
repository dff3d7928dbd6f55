// What MPICH does at its start that nobody here needs.
#pragma once

#include <array>

namespace trawl::fabric {

/// While it exists MPI_Init leaves these out, unless the user has set the variable:
///
/// - HWLOC_COMPONENTS: MPICH has hwloc read the registers of all PCI devices (slow in a virtual
///   machine) and bind the process to each core in turn.
/// - UCX_MM_RX_BUFS_GROW: UCX makes room for 512 messages that wait to be read, 4 MiB, and writes
///   to each of its pages. A quarter does for the start; it grows. (Not where the user has set
///   UCX_TLS: without the transports that it belongs to UCX would warn of it.)
/// - MPIR_CVAR_NOLOCAL: those who share a host meet at a barrier that spins. With more PEs than
///   cores each spins through its time slices. What MPI is used for here, PEs of a host do by
///   memory of their own (pipe.hpp), or by UCX.
///
/// Afterwards they are unset again: processes that the program starts inherit nothing.
class LeanStart {
 public:
  LeanStart();
  ~LeanStart();
  LeanStart(const LeanStart&) = delete;
  LeanStart& operator=(const LeanStart&) = delete;

 private:
  struct Setting {
    const char *name, *value, *only_without;
  };
  static constexpr std::array<Setting, 3> settings{{
      {"HWLOC_COMPONENTS", "-linuxio,-x86", "HWLOC_COMPONENTS"},
      {"MPIR_CVAR_NOLOCAL", "1", "MPIR_CVAR_NOLOCAL"},
      {"UCX_MM_RX_BUFS_GROW", "128", "UCX_TLS"},
  }};
  std::array<bool, settings.size()> ours_{};
};

}  // namespace trawl::fabric
