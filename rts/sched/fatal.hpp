// Ends that no PE agreed to: a fatal signal, std::terminate, _exit in the middle of a run. The
// process says so in one line, and its exit code is not 0.
#pragma once

#include <string>
#include <string_view>

namespace trawl {

/// From now on, until `end_is_meant`, such an end is said of this PE. Handlers that the program, or
/// a sanitizer, has set stay.
void watch_for_fatal_ends(int pe, const std::string& host);

/// The same in a process that simulates all PEs, of that which has its turn; and exit() is such an
/// end as well.
void watch_for_fatal_ends_in_simulation();

/// Says what has happened in such a line, and what can be done about it. For signal handlers.
void say_fatal(std::string_view what, std::string_view advice) noexcept;

/// The process may end in any way, without a word.
void end_is_meant() noexcept;

}  // namespace trawl
