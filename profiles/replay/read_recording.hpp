// Reading a recording (rts/trace/recording.hpp). Nothing a file may hold is undefined behaviour.
#pragma once

#include <string>

#include "profiles/replay/graph.hpp"

namespace replay {

/// What if the program had made fewer sparks?
struct Grain {
  /// A subtree of less work is evaluated where it is needed: no spark (as a cut-off does), unless
  /// others have to do with what is in it.
  Nanos cut_off = 0;
  /// So many sparks of one function, made by one task and forced by one, without sparks in them,
  /// are one (as in a list by chunks).
  std::uint32_t chunk = 1;
};

/// Of a recording that is cut short, or damaged, what is before that (Graph::cut_short). Throws
/// Error, with exit code 2, in one line that names the file, the byte and what is wrong.
Graph read_recording(const std::string& file, Grain grain = {});

}  // namespace replay
