// Control groups (cgroups): how much processor time and memory they let a process have.
#pragma once

#include <string>
#include <vector>

namespace trawl {

/// In cores; infinity where nothing limits it. `process` and `all` are names in /proc ("self",
/// "4711"); those of `all` that are in the group that is limited, or below, share what it has.
/// `root` stands before every path, for tests.
double quota_share(const std::string& process, const std::vector<std::string>& all,
                   const std::string& root = "");

/// In bytes, likewise.
double memory_quota(const std::string& process, const std::vector<std::string>& all,
                    const std::string& root = "");

}  // namespace trawl
