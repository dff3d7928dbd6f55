// Where PEs are to run: the lines of a file, HOST [PES].
#pragma once

#include <string>
#include <vector>

#include "rts/launch/child.hpp"

namespace trawl::launch {

struct Host {
  std::string name;
  int pes = 1;
};

/// Throws Error (exit code 2), naming file and line, for one that makes no sense.
std::vector<Host> read_hosts(const std::string& file);

/// What runs that there, in this directory and with this environment: `ssh`, with its options,
/// split at spaces. What the command reads first goes into the environment, under `name`: nobody
/// sees it in a list of processes.
std::vector<std::string> on_host(const std::string& ssh, const Host& host, const Command& there,
                                 const std::string& name);

}  // namespace trawl::launch
