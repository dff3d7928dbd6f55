// Ends that no PE agreed to: a fatal signal, std::terminate, _exit in the middle of a run. The
// process says so in one line, and its exit code is not 0.
#pragma once

#include <string>

namespace trawl {

/// From now on, until `end_is_meant`, such an end is said of this PE. Handlers that the program, or
/// a sanitizer, has set stay.
void watch_for_fatal_ends(int pe, const std::string& host);

/// The process may end in any way, without a word.
void end_is_meant() noexcept;

}  // namespace trawl
