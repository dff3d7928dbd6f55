// What launchers of programs leave in the environment.
#pragma once

namespace trawl::fabric {

/// Was this process started by an MPI launcher?
bool under_mpiexec();

/// Throws Error if MPI says that there is one PE (or was not asked), but a launcher has started
/// several: each would compute everything, believing to be alone.
void check_launcher(int pes);

}  // namespace trawl::fabric
