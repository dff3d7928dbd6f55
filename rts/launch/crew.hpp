// The processes of one run, from their start until all are gone.
#pragma once

#include <csignal>
#include <cstddef>
#include <list>
#include <string>
#include <vector>

#include "rts/fabric/launcher.hpp"
#include "rts/launch/child.hpp"
#include "rts/launch/lines.hpp"
#include "rts/launch/printed.hpp"

namespace trawl::launch {

/// What a run may end for, to be started again.
struct Again {
  bool before_it_begins = false;  ///< somebody is killed before all PEs are there
  bool if_lost = false;           ///< what dead PEs had can't be made again
  bool if_main_is_killed = false;
};

class Crew {
 public:
  /// Signals that are to end the run are taken from here on, but for those that we were started to
  /// ignore. `printed`: by the main PE, in earlier starts too.
  Crew(Again may, Printed& printed);
  ~Crew();

  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  /// Starts one more; the first is the main PE. `what` names it to the user.
  void add(const Command& command, const std::string& what);

  /// Until the main PE has ended and the others with it. `begun`: a pipe, which is closed
  /// here; what the main PE says comes in it (fabric::News). Whose process has ended before all are
  /// there, ends the run: see `again`. The exit code; if a signal was what ended it, by this
  /// signal.
  int see_through(int begun);
  /// Is the run to be started again? Once it has ended.
  bool again() const noexcept { return again_ && signal_ == 0 && unwritten_ == 0; }
  /// Then: had all come, and which members, in the order in which they were added, did not end
  /// as the run did? If the main PE was killed it is nobody.
  bool had_begun() const noexcept { return begun_; }
  bool main_was_killed() const noexcept { return main_was_killed_; }
  const std::vector<std::size_t>& lost() const noexcept { return lost_; }

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
  void on_end_of_main(int status);
  void hear();
  bool is_told(fabric::News news);
  bool any_running() const;
  void kill_all(int signal);
  void end(int code);
  void pass_on(std::list<Lines>::iterator lines);
  void write_some(Output& output);
  void drain();
  void prints_otherwise();

  std::vector<Member> members_;
  Output out_, err_;
  bool somebody_reads_;  // what is no whole line, too
  Printed& printed_;
  std::list<Lines> lines_;
  sigset_t ours_;
  int signals_;
  Again may_;
  int pipe_ = -1;      // from the main PE
  std::string heard_;  // there
  bool begun_ = false;
  bool again_ = false;
  bool main_was_killed_ = false;
  bool killed_ = false;     // who was left, at last
  bool otherwise_ = false;  // the main PE prints something else than before
  std::vector<std::size_t> lost_;
  bool ending_ = false;
  int signal_ = 0;     // that has ended it
  int unwritten_ = 0;  // why output was lost (errno)
  int code_ = 1;
  long long deadline_ = 0;  // when those that still run are killed, and output is given up
};

}  // namespace trawl::launch
