// What a PE says on standard error.
#pragma once

#include <string_view>

namespace trawl {

/// In one write, so that what several PEs say at once does not get mixed up within a line.
void say(std::string_view text);

}  // namespace trawl
