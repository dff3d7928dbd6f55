// A whole grid in one process, under virtual time: the same PEs, on the simulated fabric.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rts/piece_clock.hpp"
#include "rts/seat.hpp"
#include "rts/turns.hpp"

namespace trawl {

/// One OS thread runs all workers of all PEs in turns, always what comes first in virtual time.
/// Between two calls of the runtime a thread's work is done in one go, and takes effect at its end:
/// a PE's clock moves by what its threads work, as the program declares it or as it is measured, by
/// what messages cost, and a little by itself. What comes meanwhile is answered at its own time.
/// Without measuring, deterministic.
class Simulation {
 public:
  struct Config {
    fabric::SimConfig net;  ///< with a grid: its clusters, speeds and workers too
    Options options;
    std::string program = "simulation";
    heap::Weight full_weight = heap::Weight{1} << 32U;
    std::vector<std::string> cluster{};  ///< by PE; one for all where it is not given
    bool measure = false;                ///< is what threads do work, besides what they declare?
    /// That a PE uses, of what it may have; none: no matter.
    std::function<double(int pe)> memory{};
    std::vector<std::int64_t> heap_bound{};  ///< by PE, in bytes; none: not known
    double speed_of_host = 1;  ///< what a grid's absolute speeds are in; measure_speed's unit
  };

  explicit Simulation(const Config& config);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// Runs `root` on the main PE until it returns. Rethrows what it throws; throws Error when the
  /// run fails (a deadlock, a bad message), or takes longer than `limit` of virtual time.
  void run(const std::function<void()>& root, Nanos limit = 3600'000'000'000);

  /// Goes on until nobody does anything and nothing is on its way; where PEs have died, nothing
  /// that carries weights, and a census has found theirs.
  void settle(Nanos limit = 3600'000'000'000);

  /// Ends the run as a program would; gives the main PE's outcome.
  life::Outcome finish(int code);

  /// It has died, or left, or the run is over.
  bool has_ended(int pe) const;

  Pe& pe(int i) { return *seats_[static_cast<std::size_t>(i)]->pe; }
  int size() const noexcept { return static_cast<int>(seats_.size()); }
  fabric::SimNet& net() noexcept { return net_; }
  /// Has all PEs notice what the collector has taken.
  void sweep();
  /// The virtual time that the furthest PE has reached.
  Nanos now() const;

  /// Called by the program: this worker is busy for that long (at speed 1).
  static void work(Nanos time);
  /// The PE that runs the calling code.
  static int here();
  /// Its clock.
  static Nanos clock_here();
  /// What the worker whose turn it is has had of its processor.
  static Nanos processor_here();

 private:
  using Core = Seat::Core;

  static void pause(sched::Worker& worker, sched::Moment moment);
  static void main_loop(void* core);
  static void spare_loop(void* core);

  void add_seat(const Config& config, int index);
  Core& add_core(Seat& seat, sched::Worker& worker, void (*loop)(void*));
  void turn(Core& core);
  void idle_from_now(Core& core, bool found);
  void charge_piece(Core& core);
  void begin_piece();
  void go_on_when_ready(Core& core, sched::Fiber& from);
  void yield(Core& core, sched::Fiber& from);

  void note_turn(Seat& seat);
  Seat& first_seat() {
    if (turns_.earliest() >= next_change()) [[unlikely]]
      change_who_is_due();
    return *seats_[turns_.first()];
  }
  Nanos next_change() const noexcept { return changes_.empty() ? never : changes_.back().at; }
  void change_who_is_due();
  void begin_turn(Seat& seat);
  sched::Fiber& enter(Seat& seat);
  sched::Fiber& who_goes_on();
  void look(Seat& seat);
  bool meets_nobody(int pe) const;
  void see_to_spares(Seat& seat);
  void go_on(const std::function<bool()>& done, Nanos limit);
  bool quiet();
  bool all_is_known_of_the_dead() const;
  std::size_t fish_kept(int thief) const;

  fabric::SimNet net_;
  Nanos lookahead_;
  Turns turns_;
  std::vector<std::unique_ptr<Seat>> seats_;
  sched::Fiber driver_;
  Core* running_ = nullptr;
  std::vector<fabric::GridChange> changes_;      // the next one last
  const std::function<bool()>* done_ = nullptr;  // see go_on
  Nanos deadline_ = 0;
  const life::Outcome* failed_ = nullptr;
  std::optional<PieceClock> clock_;  // none: only what is declared counts
};

}  // namespace trawl
