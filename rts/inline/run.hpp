// A process as one PE: from the command line to its exit code.
#pragma once

#include <functional>

namespace trawl {

/// The program's root, run on the main PE with the arguments that are the program's own; returns
/// the exit code.
using Root = std::function<int(int argc, char** argv)>;

/// Runs a program on the PEs that mpiexec started, or, without it, on this one. Takes the runtime's
/// flags out of the arguments. Returns on the main PE only, with the root's code, when none of its
/// workers runs anything any more; if one does for another second, or if the run has failed, the
/// process ends here. When main has returned, and static objects are destroyed, the process ends
/// without MPI_Finalize.
int run_program(int argc, char** argv, const Root& root);

}  // namespace trawl
