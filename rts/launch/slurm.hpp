// What Slurm gives us: how many PEs, and where.
#pragma once

#include <string>
#include <vector>

namespace trawl::launch {

/// An allocation of which we are a part.
struct Slurm {
  int tasks = 0;  ///< 0: none that is to be filled
  int nodes = 1;
  int on_first = 1;           ///< tasks on the first node
  bool we_are_first = false;  ///< we run there: as a job's script does, but not who called salloc

  /// The words that start so many PEs besides the main one, which is where we are: one takes its
  /// place on the first node, if that is here.
  std::vector<std::vector<std::string>> steps(int others) const;
};

/// As the environment has it.
Slurm slurm_here();

}  // namespace trawl::launch
