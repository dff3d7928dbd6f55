// Terminals, and what only looks like one.
#pragma once

#include <cstdlib>
#include <string_view>

#include <unistd.h>

namespace trawl {

/// Can lines on this file be written over? Not in a file or a pipe, nor on a terminal that can't
/// (TERM unset, or "dumb").
inline bool lines_can_be_written_over(int file) noexcept {
  const char* const kind = std::getenv("TERM");
  const std::string_view terminal = kind == nullptr ? "" : kind;
  return isatty(file) == 1 && !terminal.empty() && terminal != "dumb";
}

}  // namespace trawl
