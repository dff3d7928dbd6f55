// A process as one PE: from the command line to its exit code.
#pragma once

#include <functional>

namespace trawl {

/// The program's root, run on the main PE with the arguments that are the program's own; returns
/// the exit code.
using Root = std::function<int(int argc, char** argv)>;

/// Runs a program on the PEs that mpiexec started, or, without it, on this one. Takes the runtime's
/// flags out of the arguments. Does not return: PEs end when they have agreed to, and what a worker
/// is doing then is of no interest any more.
[[noreturn]] void run_program(int argc, char** argv, const Root& root);

}  // namespace trawl
