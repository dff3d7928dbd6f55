// What trawl-run --check looks at before a run: hosts, ports, versions, clocks.
#pragma once

#include <string>
#include <vector>

#include "rts/fabric/net/socket.hpp"
#include "rts/launch/hosts.hpp"

namespace trawl::launch {

/// Prints a line for each host, with what is wrong. `here`: where the main PE would be met, at a
/// socket that listens. The exit code.
int check(const std::string& ssh, const std::vector<Host>& hosts, const std::string& program,
          const std::vector<fabric::net::Endpoint>& here);

}  // namespace trawl::launch
