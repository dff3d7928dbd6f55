// A whole grid in one process, under virtual time: the same PEs, on the simulated fabric.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "rts/fabric/sim.hpp"
#include "rts/pe.hpp"

namespace trawl {

/// Deterministic: one OS thread runs the PEs in turns, always the one whose clock is behind. A PE's
/// clock moves by what its program says it works, by what messages cost, and a little by itself.
class Simulation {
 public:
  struct Config {
    fabric::SimConfig net;
    Options options;
    heap::Weight full_weight = heap::Weight{1} << 16U;
    std::vector<std::string> cluster{};  ///< by PE; one for all where it is not given
  };

  explicit Simulation(const Config& config);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// Runs `root` on the main PE until it returns. Rethrows what it throws; throws Error when the
  /// run fails (a deadlock, a bad message), or takes longer than `limit` of virtual time.
  void run(const std::function<void()>& root, Nanos limit = 3600'000'000'000);

  /// Goes on until nobody does anything and nothing is on its way.
  void settle(Nanos limit = 3600'000'000'000);

  /// Ends the run as a program would; gives the main PE's outcome.
  Outcome finish(int code);

  Pe& pe(int i) { return *seats_[static_cast<std::size_t>(i)]->pe; }
  int size() const noexcept { return static_cast<int>(seats_.size()); }
  fabric::SimNet& net() noexcept { return net_; }
  /// Has all PEs notice what the collector has taken.
  void sweep();
  /// The virtual time that the furthest PE has reached.
  Nanos now() const;

  /// Called by the program: this PE is busy for that long (at speed 1).
  static void work(Nanos time);
  /// The PE that runs the calling code.
  static int here();
  /// Its clock.
  static Nanos clock_here();

 private:
  struct Seat {
    Simulation* simulation = nullptr;
    int index = 0;
    std::unique_ptr<Pe> pe;
    sched::Fiber* resume = nullptr;  // where it was when others got their turn
    Nanos idle_until = 0;            // 0: has something to do
    progress::WorkerPolicy policy{false};
    Nanos next_look = 0;
    std::optional<Outcome> outcome;
  };

  static void pause(sched::Worker& worker);
  static void main_loop(void* seat);
  void idle_from_now(Seat& seat, bool found);
  void yield(Seat& seat, sched::Fiber& from);
  Nanos wake_time(const Seat& seat) const;
  void go_on(const std::function<bool()>& done, Nanos limit);
  bool quiet();
  std::size_t fish_kept(int thief) const;

  fabric::SimNet net_;
  std::vector<std::unique_ptr<Seat>> seats_;
  sched::Fiber driver_;
  Seat* running_ = nullptr;
};

}  // namespace trawl
