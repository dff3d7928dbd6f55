// Work that is declared instead of done, and the time that a run takes.
#pragma once

#include <cstdint>

namespace trawl {

/// Takes that much of the processor's time, in nanoseconds, and computes nothing: what a model of a
/// program is made of. In a simulation the PE's clock moves on by it, at the PE's speed, and no
/// time is lost. Outside of a run it takes the time too.
void work(std::int64_t nanoseconds);

/// The run's clock, in nanoseconds since whenever; in a simulation the virtual one of the PE.
std::int64_t now();

/// To be called before `run` by a program that declares all of its work: simulated, nothing is
/// measured then, and the same seed gives the same run.
void declare_all_work() noexcept;
/// Has it been?
bool all_work_is_declared() noexcept;

}  // namespace trawl
