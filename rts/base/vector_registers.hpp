// What a thread leaves in its vector registers.
#pragma once

namespace trawl {

/// To be called before a thread waits for long. The collector stops it by a signal, whose frame has
/// all registers, and looks at that: what the thread moved last, by twos, would seem to be needed.
void clear_vector_registers() noexcept;

}  // namespace trawl
