// What launchers of programs leave in the environment, and are told at the end.
#pragma once

#include <csignal>
#include <cstdint>
#include <string_view>

namespace trawl::fabric {

/// To trawl-run, and from there to the main PE, with the number of a PE that is to leave; and the
/// answer, to who asked trawl-run. One that is queued, as several may come at once; trawl-run's
/// processes ignore it until they handle it.
inline int leave_signal() {
  return SIGRTMIN + 9;
}

/// What comes with that signal: who is to leave, and the process that wants to know what became of
/// it.
struct LeaveRequest {
  static constexpr int is_answer = -1;

  int pe = 0;     ///< of an answer: which
  int asker = 0;  ///< as trawl-run passes it on; 0: nobody yet
};

/// What the main PE says to that; the signal's value.
enum class LeaveAnswer : int { is_told = 1, there_is_none, deaths_end_runs, has_shared_objects };

/// Signal handlers may call these.
bool is_launcher(int process) noexcept;  ///< another copy of trawl-run, too
/// As trawl-run does from its beginning on: before, the signal would end it.
bool ignores_leave_signal(int process) noexcept;
bool send_leave_signal(int process, LeaveRequest request) noexcept;
LeaveRequest request_of(std::uint64_t value) noexcept;
void answer_leave(int asker, LeaveAnswer answer) noexcept;

/// What the main PE tells trawl-run, each by a byte.
enum class News : char { all_are_there = '+', lost_with_a_pe = '-' };

/// Where trawl-run, which has started this process as the main PE, is to be told.
void keep_launchers_pipe(int file) noexcept;
/// It is: what it has started knows by itself, but not what a shell of that has started.
bool is_launcher_gone() noexcept;
/// Where there is no trawl-run, or it is gone, nobody needs to know.
void tell_launcher(News news) noexcept;

/// What it says there; empty if it isn't set.
std::string_view environment(const char* name);
/// The number there; if there is none, `otherwise`.
int number_in(const char* name, int otherwise = 0);

/// Was this process started by an MPI launcher?
bool under_mpiexec();

/// The PEs that a launcher which speaks PMI says it has started; 0: there is none.
int pes_by_mpiexec();

/// Throws Error if MPI says that there is one PE (or was not asked), but a launcher has started
/// several: each would compute everything, believing to be alone.
void check_launcher(int pes);

/// This process has said hello to the launcher in its protocol (PMI 1), or MPI has.
void note_hello() noexcept;

/// Who has said hello says goodbye, as MPI_Finalize would at its very end. Without it hydra takes
/// an exit for a crash and kills the other PEs.
void say_goodbye();

}  // namespace trawl::fabric
