// The command line of trawl-tune.
#pragma once

#include <string>
#include <vector>

namespace tune {

struct Command {
  std::string recording;
  std::vector<std::string> grids;
  std::vector<std::string> fixed;  ///< flags of the runtime, for all runs
  double scale_work = 1, scale_bytes = 1;
  bool json = false;
  std::string plot, write;
  long runs = 1500;    ///< at most, for each grid
  double seconds = 0;  ///< at most, for all; 0: as long as it takes
  unsigned seed = 1;
  int jobs = 0;  ///< 0: as many as there are cores
  bool quiet = false;
  std::string answer;  ///< of --help or --version: print this, and do nothing
};

/// Throws Error with exit code 2 for what it can't make sense of.
Command read_command(int argc, const char* const* argv);

}  // namespace tune
