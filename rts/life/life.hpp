// A PE's life: joining, running, stopping or failed, over; and who of the others is alive.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "rts/fabric/fabric.hpp"
#include "rts/life/cuts.hpp"
#include "rts/life/departures.hpp"
#include "rts/life/ending.hpp"
#include "rts/life/start.hpp"
#include "rts/recover/alive.hpp"
#include "rts/recover/waking_time.hpp"

namespace trawl::life {

enum class State : std::uint8_t {
  joining,   ///< PEs get to know each other
  running,   ///< the program runs
  stopping,  ///< it has ended; statistics are on their way
  failed,    ///< the run can't go on, and others are being told
  over,      ///< this PE has no more to do
};

/// The state machine, and the handshakes that drive it. Guarded by its PE's lock; the state may be
/// read by any thread.
class Life {
 public:
  /// What the PE does when its state changes; all are called with the lock held.
  struct Hooks {
    std::function<void()> joined;
    std::function<void()> stopped;  ///< workers are to leave their main loops
    std::function<Statistics()> statistics;
    std::function<void(const Outcome&)> over;
    /// The main PE gives a PE up, and says why.
    std::function<void(int pe, const std::string& why)> gives_up;
    /// The main PE: nobody can be let go.
    std::function<bool()> keeps_all;
    /// ... lets a PE go that has left so many threads unfinished.
    std::function<void(int pe, std::uint32_t threads)> lets_go;
    /// It is decided that a PE leaves, which may be this one.
    std::function<void(int pe)> leaves;
    /// Nothing is done there any more.
    std::function<void(int pe)> is_done;
    /// It is decided that a PE is dead, has left, or is not there yet; or has come.
    std::function<void(int pe, View::What)> gone;
    std::function<void(int pe)> has_come;
  };

  /// `silence`: after so long a PE counts as lost. `recovers`: the run goes on without it.
  Life(const Introduction& own, Nanos silence, bool recovers, fabric::Fabric& fabric,
       balance::Tables& tables, fabric::Outbox& outbox, Hooks hooks);

  void begin(Nanos now);

  State state() const noexcept { return state_.load(); }
  /// The state, as the table of messages has it.
  fabric::Phase phase() const noexcept;
  /// All PEs know each other.
  bool joined() const noexcept { return joined_; }
  bool stopping() const noexcept { return state() >= State::stopping; }
  bool over() const noexcept { return state() == State::over; }

  const MainClock& main_clock() const noexcept { return start_.main_clock(); }
  /// When all knew each other, by this PE's clock.
  Nanos begun() const noexcept { return start_.begun() - main_clock().first_offset(); }
  /// The same by the main PE's clock: it tells this run from others.
  Nanos run() const noexcept { return start_.begun(); }
  /// Has this PE joined when others had begun?
  bool came_late() const noexcept { return came_late_; }
  /// In which it is counted how long others have had to answer.
  Nanos waking_time() const noexcept { return awake_.now(); }

  // ---- membership, where deaths are survived (rts/recover)

  bool recovers() const noexcept { return recovers_; }
  /// How many changes are known: each view has one more.
  std::size_t view() const noexcept { return told_.changes.size(); }
  /// Dead, left, or not there yet.
  bool is_gone(int pe) const noexcept {
    return standing(pe) == Standing::gone || standing(pe) == Standing::to_come;
  }
  /// The main PE: it has come, and does not know yet who all are.
  bool is_joining(int pe) const noexcept { return self_ == 0 && start_.is_late(pe); }
  bool is_to_come(int pe) const noexcept { return standing(pe) == Standing::to_come; }
  void on_view(const View& message, Nanos now);
  /// A message of a PE that is known to be gone: it is told so, if the main PE hears it.
  void heard_gone(int from);
  /// What was to be sent to a PE could not be.
  void unreachable(int pe, const std::string& why);

  // ---- leaving before the end, where deaths are survived (rts/life/README.md)

  /// Tells the main PE how far this PE is; `threads` that it leaves unfinished.
  void part(Parting::Stage stage, std::uint32_t threads);
  /// Tells all others, or one that has joined since, that nothing is done here any more.
  void say_done();
  void say_done(int pe);
  /// This PE has nothing at one that leaves any more.
  void say_settled(int pe);
  void on_parting(const Parting& message, int from);
  void on_settled(const Settled& message, int from);
  /// The main PE: two others don't reach each other, so one of them is given up.
  void on_cut_off(const CutOff& message, int from);
  /// The main PE: another is to leave. False: nobody of that name can.
  bool send_away(int pe);

  /// The main PE: the root has returned.
  void finish(int code);
  /// Tells everybody, and says why on the main PE.
  void fail(std::string_view why, int code) noexcept;
  /// As `fail`, if no PE is found to have died: what went wrong may be because of that.
  void fail_or_find_dead(std::string_view why, int code) noexcept;
  /// As `fail`, when memory has run out.
  void fail_without_memory() noexcept;

  /// Something has come from a PE.
  void heard(int from) noexcept;
  void on_hello(const Hello& message, int from, Nanos now);
  void on_welcome(const Welcome& message, Nanos now);
  void on_ping(const Ping& message, int from, Nanos now) { start_.on_ping(message, from, now); }
  void on_pong(const Pong& message, int from, Nanos now);
  void on_finish();
  void on_bye(const Bye& message, int from);
  void on_leave() noexcept { ending_.on_leave(); }
  void on_fail(const Fail& message);

  // What happens every so often.
  void look_at_clock(Nanos now) noexcept { awake_.look(now); }
  void look_for_the_dead();
  void look_for_newcomers();
  /// Shows others that this PE is alive, and looks who is not.
  void beat(Nanos now);
  /// Is it over? `flushed`: all its messages have left.
  void look_for_the_end(bool flushed);

 private:
  void check_joined();
  void stop(State state);
  void begin_failure(Outcome outcome, int missing);
  void tell_of_failure(int pe) noexcept;
  void on_dead(int pe, const std::string& why);
  void on_silent(int pe);
  void give_up(int pe, const std::string& why);
  void decide(View::Change change);
  void let_go();
  void on_leaves(int pe);
  void on_gone(int pe, View::What what, Nanos now);
  void on_joined(const View::Change& change);
  void say_who_is_not_there();
  void broadcast();
  template <class Act>
  void decide_together(const Act& act);

  enum class Standing : std::uint8_t { there, comes, gone, to_come };
  Standing standing(int pe) const noexcept {
    return standing_.empty() ? Standing::there : standing_[static_cast<std::size_t>(pe)];
  }
  void set_standing(int pe, Standing standing);
  void end_alone(const std::string& why);
  Nanos round_trip() const;

  int self_;
  fabric::Fabric& fabric_;
  balance::Tables& tables_;
  fabric::Outbox& outbox_;
  Hooks hooks_;
  std::atomic<State> state_{State::joining};
  std::atomic<bool> joined_{false};  // a run may fail before
  bool came_late_ = false;
  Outcome no_memory_;  // made while there is some
  std::optional<Outcome> failure_;
  int failure_missing_ = 0;  // PEs that have not heard of it yet
  Nanos failure_deadline_ = 0;
  const bool recovers_;
  View decided_;                    // the main PE's
  bool decides_more_ = false;       // before it is told
  View told_;                       // as far as this PE has been
  std::vector<Standing> standing_;  // by PE, once one is not there
  int living_;                      // as far as this PE has been told
  Departures departures_;           // the main PE's
  Cuts cuts_;                       // the main PE's
  recover::WakingTime awake_;
  recover::Alive alive_;
  Start start_;
  Ending ending_;
};

}  // namespace trawl::life
