// Is a place one where the collector looks? For debug builds, which refuse a Lazy that lies
// elsewhere.
#pragma once

#include "rts/inline/memory.hpp"

namespace trawl::heap {

/// Memory of the collector that it scans (operator new's, a value's), a stack, static or
/// thread-local data.
bool can_see(const void* place) noexcept;

/// Is there a stack between these addresses? (collect_boehm.cpp)
bool has_stack_between(const void* begin, const void* end) noexcept;

}  // namespace trawl::heap
