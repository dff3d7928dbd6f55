// Takes each message to the room it is for.
#pragma once

#include <span>

#include "rts/balance/tables.hpp"
#include "rts/fabric/message.hpp"
#include "rts/heap/shared_heap.hpp"
#include "rts/heap_watch.hpp"
#include "rts/life/life.hpp"
#include "rts/recover/census.hpp"
#include "rts/sched/bounds.hpp"
#include "rts/sched/deadlock_detector.hpp"
#include "rts/sched/fishing.hpp"
#include "rts/sched/objects.hpp"
#include "rts/trace/log.hpp"
#include "rts/watch/watch.hpp"

namespace trawl {

/// Guarded by its PE's lock.
class Router {
 public:
  struct Rooms {
    balance::Tables& tables;
    heap::SharedHeap& shared_heap;
    HeapWatch& heap_watch;
    sched::Fishing& fishing;
    sched::Bounds& bounds;
    sched::Objects& objects;
    sched::DeadlockDetector& deadlock_detector;
    life::Life& life;
    recover::Census& census;
    watch::Watch& watch;
    trace::Log* log;
  };

  explicit Router(const Rooms& rooms) : rooms_(rooms) {}

  /// A message that has arrived at `now` by this PE's clock, behind its prefix. `by` as in
  /// Host::poll. Throws Error, naming the sender, for a bad one.
  void deliver(int from, std::span<const std::byte> message, Nanos now, sched::Worker* by);

 private:
  void read_tables(Reader& message, int from, Nanos now);
  void dispatch(fabric::Kind kind, Reader& message, const fabric::Envelope& envelope, Nanos now,
                sched::Worker* by);

  Rooms rooms_;
};

}  // namespace trawl
