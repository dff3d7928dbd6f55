// How much of the memory that it may have this process uses.
#pragma once

#include <cstddef>

namespace trawl {

/// All of the host's, in bytes.
double memory_of_host();

/// Of what it may have: what is resident of `bound` bytes but for `unused` of them, or of what
/// `ulimit -v` allows what is mapped, whichever is more. 1: no more can be had. 0 where the system
/// doesn't tell.
double memory_in_use(double bound, std::size_t unused);

/// What it takes to write to memory for the first time, in ns a byte: the kernel clears it, and in
/// a virtual machine the host may have to find it. Measured when this is first asked, for some ms
/// at most.
double time_of_new_memory();

}  // namespace trawl
