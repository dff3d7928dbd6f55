// How a process ends without being taken for one that has died.
#pragma once

namespace trawl::fabric {

/// What a fabric tells the other PEs before this process ends, if it has to. To be called once.
void set_farewell(void (*farewell)() noexcept) noexcept;

/// Ends the process: flushes its output, tells the PEs of its host, those that a fabric has to
/// tell, and the launcher that this end is meant, and exits without MPI_Finalize, which can hang.
/// It waits for no one: agree first that nobody needs this PE any more (README.md, Leaving). To be
/// called under the lock of the PE, if it has joined others.
[[noreturn]] void leave(int code);

}  // namespace trawl::fabric
