// What a PE does whose heap has grown much, or takes more than half of what it may: much may live
// only because others have not noticed yet that they no longer need it (heap/README.md, Garbage
// across PEs).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "rts/balance/tables.hpp"
#include "rts/fabric/message.hpp"
#include "rts/heap/shared_heap.hpp"

namespace trawl {

/// Guarded by its PE's lock.
class HeapWatch {
 public:
  struct Bounds {
    std::size_t most = 0;            ///< bytes that the heap may have, about
    std::function<double()> used{};  ///< of the memory that there may be; none: it has no bound
  };
  HeapWatch(Bounds bounds, const balance::Tables& tables, heap::SharedHeap& shared_heap,
            fabric::Outbox& outbox)
      : bounds_(std::move(bounds)), tables_(tables), shared_heap_(shared_heap), outbox_(outbox) {}

  /// To be called every few ms: asks others, and collects when others have asked, or have given
  /// back something, or when much is free; but not for more than a tenth of the time.
  void look();
  /// Another PE is short of memory, or has much that may be needed nowhere.
  void on_collect() noexcept { asked_ = true; }

  bool knows_bound() const noexcept { return bounds_.used != nullptr; }
  /// Has the heap less than half of what it may?
  bool has_room() const { return !knows_bound() || bounds_.used() < 0.5; }
  /// Is so much used that the PE should take no more work? `idle`: it is doing none.
  bool is_near_bound(bool idle);

 private:
  void ask_others();

  Bounds bounds_;
  const balance::Tables& tables_;
  heap::SharedHeap& shared_heap_;
  fabric::Outbox& outbox_;
  std::size_t heap_ = 0;        // bytes, when others were asked
  std::size_t slots_ = 0;       // the fewest since then
  std::uint64_t returned_ = 0;  // slots, when it was collected here
  std::size_t next_ = 0;        // of the others, to be asked
  bool asked_ = false;
  bool collected_ = false;  // since it was near its bound and idle
};

}  // namespace trawl
