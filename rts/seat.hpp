// A simulated PE: when each of its workers goes on, and how long what they are at takes.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "rts/fabric/sim.hpp"
#include "rts/pe.hpp"

namespace trawl {

class Simulation;

/// Times are of the PE's clock. Decides and reckons; whose turn it then is, is Simulation's.
struct Seat {
  /// A worker: what runs there, and from when on it goes on.
  struct Core {
    Seat* seat = nullptr;
    sched::Worker* worker = nullptr;
    std::unique_ptr<sched::Fiber> main{};
    sched::Fiber* resume = nullptr;  // where it was when others got their turn
    Nanos ready = 0;
    Nanos used = 0;        // of the processor, so far
    Nanos idle_until = 0;  // 0: has something to do
    progress::WorkerPolicy policy{false};
    std::function<void()> relieve{};  // of a spare one

    bool idle() const noexcept { return idle_until != 0; }
  };

  Simulation* simulation = nullptr;
  fabric::SimNet* net = nullptr;
  int index = 0;
  std::unique_ptr<Pe> pe{};
  std::vector<std::unique_ptr<Core>> cores{};  // the spare ones last
  Core* next = nullptr;                        // whose turn it is; nullptr: its progress thread's
  Nanos last_look = 0;                         // of its progress thread
  Nanos longest_quiet = 0;                     // without a look, if nothing waits
  std::uint32_t epoch = 0;                     // of the event count, at the last look
  progress::SparePolicy spares{};
  std::optional<life::Outcome> outcome{};

  Nanos clock() const { return net->clock(index); }

  /// So much work (at speed 1) begins: the worker is ready when it is done.
  void charge(Core& core, Nanos work) const;
  /// Idle until then; 0: it has something to do. What the others are at takes longer, or less.
  void set_idle(Core& core, Nanos until) const;

  /// Whose turn is next, and when: a worker's, but for this one, or the progress thread's, which is
  /// nullptr.
  std::pair<Nanos, Core*> next_turn(const Core* but = nullptr) const;
  /// The progress thread has looked, from then until now.
  void looked(Nanos begun);

 private:
  double crowd() const;
  Nanos turn_of(const Core& core) const;
  Nanos look_time() const;
  Nanos longest_look() const;
  bool notified() const;
};

}  // namespace trawl
