// Objects of which each PE has a replica, and that all PEs write in one order (after Satin's shared
// objects).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>

#include <boost/unordered/unordered_flat_map.hpp>

#include "rts/balance/tables.hpp"
#include "rts/fabric/message.hpp"
#include "rts/heap/shared_heap.hpp"
#include "rts/host/brief_mutex.hpp"
#include "rts/inline/objects.hpp"
#include "rts/sched/messages.hpp"

namespace trawl::sched {

/// A write goes to the PE that made the object, its home, which gives it its place in the order,
/// behind those that the same PE has made before, and tells all others, along a tree. Messages only
/// put it into a queue: who reads the object makes the calls that have come, in their order, and
/// where nobody reads, a thread of this PE does. An object stays until the end of the run.
class Objects {
 public:
  /// `add_thread` has a thunk evaluated here, soon, as a spark of this PE.
  Objects(balance::Tables& tables, bool some_may_come, heap::SharedHeap& shared_heap,
          fabric::Outbox& outbox, std::function<void(heap::Node*)> add_thread);
  ~Objects();
  Objects(const Objects&) = delete;
  Objects& operator=(const Objects&) = delete;

  SharedName make();
  /// Is there any that this PE can have heard of: here, or where a message came from?
  bool used() const noexcept { return tables_.objects_exist(); }
  /// Does a thread here wait for a write?
  bool guards_wait();
  /// With the PE's lock held, as is `on_write`.
  void write(const SharedName& name, heap::Node* call);
  /// The arguments follow in `arguments`. Throws BadBytes.
  void on_write(const Write& message, Reader& arguments);

  // On a thread, without the PE's lock.

  /// Makes the calls that have come, unless somebody does so already.
  void catch_up(const SharedName& name);
  /// The same, for a thunk that was given to `add_thread`.
  void answer_call(const SharedName& name);
  Snapshot hold(const SharedName& name);
  void await(const SharedName& name, std::uint64_t writes);
  Version*& version_to_write(const SharedName& name);

 private:
  struct Early {
    Write message;
    heap::Node* call = nullptr;
    Bytes arguments;
  };
  /// Writes of one PE, at their object's home, in their order.
  struct Line {
    std::uint32_t placed = 0;
    std::map<std::uint32_t, Early> early;  // by ticket: one before them has not come
  };
  struct Object {
    // With the PE's lock.
    std::uint64_t places_given = 0;            // at its home, as are
    std::map<std::uint32_t, Line> lines;       // those of the PEs that write
    std::uint32_t tickets = 0;                 // of this PE's writes, elsewhere
    std::map<std::uint32_t, heap::Node*> own;  // those that have no place yet
    // With lock_.
    std::uint64_t writes = 0;  // that have been made here
    bool being_written = false;
    bool called = false;                           // a thread has been: to catch up
    std::map<std::uint64_t, heap::Node*> waiting;  // by their places
    heap::Node* next_write = nullptr;              // a promise, if anybody waits
    Version* version = nullptr;

    bool has_next() const { return !waiting.empty() && waiting.begin()->first == writes + 1; }
  };

  Object& at(const SharedName& name);
  Object& find(const SharedName& name);
  heap::Node* promise(Object& object);
  heap::Node* take_next(const SharedName& name);
  heap::Node* call_of(const Write& message, std::span<const std::byte> arguments);
  void stand_in_line(const Write& message, std::span<const std::byte> arguments, heap::Node* call);
  void take(const Write& message, std::span<const std::byte> arguments, heap::Node* call);
  void tell_others(const Write& message, std::span<const std::byte> arguments);
  /// True: the next call can be made.
  bool add(const Write& message, heap::Node* call);
  void call_for_somebody(const SharedName& name);

  balance::Tables& tables_;
  int self_;
  int pes_;
  bool some_may_come_;
  heap::SharedHeap& shared_heap_;
  fabric::Outbox& outbox_;
  std::function<void(heap::Node*)> add_thread_;
  BriefMutex lock_;  // guards the table of objects, too; the PE's comes before it
  boost::unordered_flat_map<std::uint64_t, std::unique_ptr<Object>> objects_;
  std::uint32_t made_ = 0;
};

}  // namespace trawl::sched
