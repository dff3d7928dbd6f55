// Reading a recording (rts/trace/recording.hpp). Nothing a file may hold is undefined behaviour.
#pragma once

#include <string>

#include "profiles/replay/graph.hpp"

namespace replay {

/// Throws Error, with exit code 2, in one line that names the file, the byte and what is wrong.
Graph read_recording(const std::string& file);

}  // namespace replay
