// What MPICH does at its start that nobody here needs.
#pragma once

#include <array>

namespace trawl::fabric {

/// While it exists MPI_Init leaves these out, unless the user has set the variable:
///
/// - HWLOC_COMPONENTS: MPICH has hwloc read the registers of all PCI devices (slow in a virtual
///   machine) and bind the process to each core in turn.
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
  static constexpr std::array<std::array<const char*, 2>, 2> settings{{
      {"HWLOC_COMPONENTS", "-linuxio,-x86"},
      {"MPIR_CVAR_NOLOCAL", "1"},
  }};
  std::array<bool, settings.size()> ours_{};
};

}  // namespace trawl::fabric
