// A static variable of a function is made under a lock of the C++ runtime's. A thread that blocks
// in there keeps it, and whoever comes to the variable meanwhile takes a whole OS thread to sleep,
// on which the first may have to go on: for ever. So nobody may block there.
#pragma once

namespace trawl::sched {

/// To be called by who is about to block: throws Error if the calling code, or what called it,
/// initialises such a variable.
void refuse_in_static();

}  // namespace trawl::sched
