// A run as ui.perfetto.dev opens it.
#pragma once

#include <string>

#include "profiles/read.hpp"
#include "rts/inline/bytes.hpp"

namespace trawl::profile {

/// Writes what happened between two of the run's times in the Chrome JSON trace format: a process a
/// PE; a lane a worker, with the threads it ran and when it was idle; collections; sparks and
/// runnable threads as counters; messages, with an arrow from where one was sent to where it
/// arrived, if both are in the logs. Throws Error (exit code 2) when `path` can't be written.
void write_perfetto(const Run& run, Nanos from, Nanos to, const std::string& path);

}  // namespace trawl::profile
