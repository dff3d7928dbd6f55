// The thief's half of the fence (inline/fence.hpp).
#pragma once

#include "rts/inline/fence.hpp"

namespace trawl::sched {

/// Between the thief's write and its read. Some microseconds when other threads of the process run.
void heavy_fence() noexcept;

/// Must have been called once before the first heavy_fence; throws Error where the kernel has no
/// membarrier.
void prepare_fences();

}  // namespace trawl::sched
