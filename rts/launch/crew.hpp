// The processes of one run, from their start until all are gone.
#pragma once

#include <csignal>
#include <list>
#include <string>
#include <vector>

#include "rts/launch/child.hpp"
#include "rts/launch/lines.hpp"

namespace trawl::launch {

class Crew {
 public:
  /// Signals that are to end the run are taken from here on, but for those that we were started to
  /// ignore. `can_start_again`: the run may end for
  /// that when somebody is killed before it has begun.
  explicit Crew(bool can_start_again);
  ~Crew();

  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  /// Starts one more; the first is the main PE. `what` names it to the user.
  void add(const Command& command, const std::string& what);

  /// Until the main PE has ended and the others with it. `begun`: a pipe, which is closed
  /// here; a byte lies in it when all PEs are there. Whose process has ended before, ends the
  /// run: see `again`. The exit code; if a signal was what ended it, by this signal.
  int see_through(int begun);
  /// Is the run to be started again? Once it has ended.
  bool again() const noexcept { return again_ && signal_ == 0; }

 private:
  struct Member {
    Child child;
    std::string what;
    bool running = true;
  };

  void wait_for_something();
  void on_signals();
  void reap();
  void send_away(int asker, int pe) const;
  void on_end(Member& member, int status);
  bool has_begun() const;
  bool any_running() const;
  void kill_all(int signal);
  void end(int code);
  void pass_on(std::list<Lines>::iterator lines);
  void write_some(Output& output);
  void drain();

  std::vector<Member> members_;
  Output out_, err_;
  std::list<Lines> lines_;
  sigset_t ours_;
  int signals_;
  bool can_start_again_;
  int begun_ = -1;  // the pipe
  bool again_ = false;
  bool ending_ = false;
  int signal_ = 0;     // that has ended it
  int unwritten_ = 0;  // why output was lost (errno)
  int code_ = 1;
  long long deadline_ = 0;  // when those that still run are killed, and output is given up
};

}  // namespace trawl::launch
