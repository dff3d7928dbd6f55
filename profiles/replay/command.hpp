// The command line of trawl-replay.
#pragma once

#include <string>

#include "profiles/replay/generate.hpp"
#include "profiles/replay/read_recording.hpp"
#include "profiles/replay/replay.hpp"

namespace replay {

struct Command {
  std::string file;
  Shape shape;  ///< if there is no file
  Scale scale;
  Grain grain;
  bool info = false;
  std::string bound;   ///< a grid file
  std::string answer;  ///< of --help or --version: print this, and do nothing
};

/// The runtime's flags are passed by. Throws Error with exit code 2 for what it can't make sense
/// of.
Command read_command(int argc, const char* const* argv);

}  // namespace replay
