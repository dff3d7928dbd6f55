// Watches the one worker of a run for a recording (--trawl:record): each spawn, sync, par, and
// force of what is not evaluated yet comes by here, by the slow way. So what is not recorded is as
// fast as ever.
//
// Nobody else takes anything in such a run. A spawned call lies in a slot outside of the pool, and
// is promoted when it is synced; a spark is noted, and lies nowhere.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "rts/host/tick_clock.hpp"
#include "rts/inline/node.hpp"
#include "rts/inline/packer.hpp"
#include "rts/inline/slot.hpp"
#include "rts/trace/record.hpp"

namespace trawl::sched {

/// The processor time that the running thread takes between two moments. Two of a clock are cheap;
/// where they lie far apart, the operating system tells what others had of it.
class Stopwatch {
 public:
  Stopwatch();
  void start() noexcept;
  /// As if it had been started when it was stopped.
  void go_on() noexcept { started_ = stopped_; }
  /// Since the last `start`.
  Nanos stop() noexcept;

 private:
  void ask() noexcept;

  TickClock clock_;
  Nanos cost_ = 0;  // of measuring: the least that is ever seen
  Nanos started_ = 0, stopped_ = 0;
  Nanos asked_ = 0, processor_ = 0;  // when the operating system was asked, and what it said
};

class Recorder {
 public:
  Recorder(const std::string& file, std::string_view program);

  /// On the root's thread.
  void begin();
  void end() noexcept;
  /// The root has thrown: what there is stays without an end, which is said when it is read.
  void abandon() noexcept;

  /// `caller`, here and below, is an address in what makes the spark.
  Slot* spawn(const Slot& call, const void* caller);
  /// Of a slot that `spawn` gave.
  heap::Node* reclaim(Slot* slot);
  void par(heap::Node* node, const void* caller);
  /// A thunk for a certain PE.
  void place(heap::Node* node, const void* caller);
  /// Evaluates what the caller has made a black hole. Had it become a spark?
  bool evaluate(heap::Node* node);

  const std::string& trouble() const noexcept { return record_.trouble(); }

 private:
  class Pause;
  using Pack = void (*)(heap::Node*, heap::Packer&);

  Nanos measure_handling();
  void note_time() noexcept;
  std::uint64_t packed_size(heap::Node* node, Pack pack,
                            std::vector<heap::Node*>* referred = nullptr);
  std::uint64_t result_size(heap::Node* node);
  struct Sizes {
    std::uint64_t result = 0;  // bytes
    std::uint64_t kept = 0;    // that it refers to, and that stay
  };
  Sizes placed_result(heap::Node* node);
  void refer_to_shared();
  void use_placed();
  std::uint32_t shared_value(heap::Node* node);

  trace::Record record_;
  trace::Sites sites_;
  Stopwatch watch_;
  Nanos seen_ = 0;
  Nanos handling_ = 0;  // what a spawned call takes where nothing is computed
  bool running_ = false;
  Writer packed_;
  heap::Node* synced_ = nullptr;
  std::uint64_t synced_task_ = 0;
  struct Spark {
    std::uint64_t task = 0;
    bool placed = false;
  };
  // Sparks that nobody has forced. Kept alive, so that an address is one thunk.
  std::unordered_map<heap::Node*, Spark> sparks_;
  std::vector<heap::Node*> referred_;  // by the arguments of what begins
  // By number. Kept alive for the same reason, so they are bounded.
  std::unordered_map<heap::Node*, std::uint32_t> shared_;
  std::uint64_t shared_bytes_ = 0;
  // What tasks have given, as far as it is large: not kept alive. An address that has died and is
  // another's is taken for a result, and is in no recording.
  std::unordered_set<std::uintptr_t, std::hash<std::uintptr_t>, std::equal_to<>,
                     PlainAllocator<std::uintptr_t>>
      results_;
  struct Placed {
    std::uint64_t task = 0;
    std::uint32_t code = 0;
  };
  // What placed tasks have given, by address, as these.
  std::unordered_map<std::uintptr_t, Placed, std::hash<std::uintptr_t>, std::equal_to<>,
                     PlainAllocator<std::pair<const std::uintptr_t, Placed>>>
      placed_;
};

}  // namespace trawl::sched
