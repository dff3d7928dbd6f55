// What a PE says on standard error.
#pragma once

#include <string_view>

namespace trawl {

/// In one write, so that what several PEs say at once does not get mixed up within a line. False:
/// not all of it could be said; errno says why.
bool say(std::string_view text);

}  // namespace trawl
