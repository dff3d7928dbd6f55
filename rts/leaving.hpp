// A PE leaves while the run goes on, losing nothing (rts/life/README.md).
#pragma once

#include <array>
#include <atomic>
#include <vector>

#include "rts/heap/homecoming.hpp"
#include "rts/heap/shared_heap.hpp"
#include "rts/life/life.hpp"
#include "rts/sched/fishing.hpp"
#include "rts/sched/objects.hpp"
#include "rts/trace/log.hpp"

namespace trawl {

/// What this PE does when it leaves, and when others do. Guarded by its PE's lock, but for what any
/// thread may call.
class Leaving {
 public:
  struct Rooms {
    sched::Workers& workers;
    heap::SharedHeap& shared_heap;
    sched::Fishing& fishing;
    sched::Objects& objects;
    life::Life& life;
    trace::Log* log;
  };

  /// `grace`: threads that have not ended after so long are left unfinished.
  Leaving(const Rooms& rooms, int self, Nanos grace) : rooms_(rooms), self_(self), grace_(grace) {}

  /// It is to leave; once more: at once. Any thread may call it, a signal handler too.
  void ask() noexcept { asked_.fetch_add(1); }
  bool asked() const noexcept { return asked_.load() != 0; }

  /// The main PE: another is to leave. Any thread may call it, a signal handler too.
  void send_away(int pe) noexcept;

  /// It is decided that a PE leaves, or is gone.
  void leaves(int pe);
  /// Nothing is done there any more: what is known here of what it has can come.
  void is_done(int pe);
  void gone(int pe);
  void joined(int pe);

  /// Goes on with it, if there is anything to do. `by` as in Host::poll.
  void look(Nanos now, sched::Worker* by);

 private:
  enum class Stage : std::uint8_t { stays, gives_away, done, empty, hurries };

  void begin(Nanos now);
  void stay();
  void go_on(Nanos now, sched::Worker* by);
  void give_away(sched::Worker* by);
  void give_imported();
  bool send_to_main(heap::Node* spark);
  bool is_decided() const;
  bool nothing_left(const sched::Worker* by) const;
  bool is_empty(const sched::Worker* by) const;
  void part(life::Parting::Stage stage);
  void look_after_others(Nanos now);
  void send_away_who_is_to_go();

  Rooms rooms_;
  int self_;
  Nanos grace_;
  std::atomic<int> asked_{0};
  std::atomic<bool> any_to_go_{false};
  std::array<std::atomic<int>, 64> to_go_{};  // PEs; 0: none
  Stage stage_ = Stage::stays;
  Nanos begun_ = 0;
  Nanos next_look_ = 0;

  // That leaves, and is not gone yet.
  struct Other {
    explicit Other(int its_number)
        : pe(its_number), brings(static_cast<std::uint32_t>(its_number)) {}

    int pe;
    bool before = false;  // this PE leaves, or does so later
    bool done = false;
    bool settled = false;
    Nanos pause = 0;
    Nanos next_look = 0;
    heap::Homecoming brings;
  };
  std::vector<Other> others_;
};

}  // namespace trawl
