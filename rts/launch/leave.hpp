// trawl-run --leave: a PE of a run that goes on is to leave it.
#pragma once

#include <string>
#include <vector>

namespace trawl::launch {

/// `words` name the trawl-run of that run. The exit code: 1, with a line that says why, if the PE
/// stays. Throws Error (exit code 2) if that is no trawl-run, or of somebody else.
int send_away(int pe, const std::vector<std::string>& words);

}  // namespace trawl::launch
