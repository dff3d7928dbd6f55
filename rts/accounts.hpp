// A PE's statistics, gathered from its rooms.
#pragma once

#include "rts/heap/shared_heap.hpp"
#include "rts/sched/workers.hpp"
#include "rts/trace/pulse.hpp"
#include "rts/trace/stats.hpp"

namespace trawl {

/// The collector stops all workers of a PE; what they were at does not take that long.
class CollectionTimes {
 public:
  /// Before and after each collection, on the collector's thread: allocates nothing.
  void begin(Nanos now, const sched::Workers& workers) noexcept;
  void end(Nanos now, const sched::Workers& workers) noexcept;

  Nanos begun() const noexcept { return begun_; }

 private:
  Nanos begun_ = 0;
};

/// Workers run on meanwhile; never more sparks are used than were made.
Statistics gather(const Counters& counters, sched::Workers& workers, heap::SharedHeap& shared_heap);

/// Who it is of is not said. With the PE's lock held.
trace::Pulse pulse_of(const Statistics& statistics, const sched::Workers& workers, Nanos now);

}  // namespace trawl
