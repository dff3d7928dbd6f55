// Signals by which a process's PE leaves its run, or sends another one away.
#pragma once

#include "rts/fabric/launcher.hpp"

namespace trawl {

class Pe;

/// From now on SIGTERM has this process's PE leave; the second one at once, the third one ends the
/// process.
void leave_by_signal();
/// The main PE under trawl-run: fabric::leave_signal, with the number of a PE, sends that away. If
/// not `can_leave`, it is only answered.
void send_others_away_by_signal(bool can_leave);
/// What becomes of that, to who has asked for it (if anybody has).
void answer_who_asked(int pe, fabric::LeaveAnswer answer) noexcept;

/// Has SIGTERM come, though no thread may have got to it yet?
bool told_to_leave() noexcept;

/// The process's PE; what has come before is for it.
void take_leave_signals(Pe& pe);

}  // namespace trawl
