// Memory that is collected when nothing refers to it any more, and where the collector must look.
//
// Two versions: collect_boehm.cpp (the Boehm collector, the default) and collect_none.cpp (nothing
// is ever collected; for sanitizer builds, which the collector can't live with).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "rts/inline/bytes.hpp"
#include "rts/inline/memory.hpp"

namespace trawl::heap {

struct Node;

/// As `allocate`, for many nodes of a size. `into` is where the collector looks.
void allocate_many(std::size_t bytes, std::span<Node*> into);

/// Starts the collector with this much heap; safe to repeat. Called by run, needed by nobody else.
/// More than `most` bytes it never has (0: as much as there is).
void start_collector(std::size_t initial_heap_bytes, std::size_t most = 0);

/// Where collections take long, the heap may grow to so much by itself.
void let_heap_grow(std::size_t most);

/// If there has been no collection for `stale`, collects, and gives back what is free.
void give_back(Nanos stale);

/// Collects now, unless that would make it more than a tenth of the time: false. `gives_back` what
/// is free, too.
bool collect_if_seldom(bool gives_back);

/// Much has died at once: before the next large block is taken the heap is collected, if that is
/// cheap.
void collect_soon() noexcept;

/// From now on other PEs may refer to what is here: who gets no memory waits for what they let go
/// of.
void expect_others_to_let_go() noexcept;
/// Does a thread, since this was asked last?
bool take_somebody_waits() noexcept;

/// While one lives its OS thread waits for no memory, as it is who hears of what others let go of:
/// for what it needs the heap may pass its bound by an eighth instead.
class MayNotWait {
 public:
  MayNotWait() noexcept : before_(std::exchange(here_, true)) {}
  ~MayNotWait() { here_ = before_; }
  MayNotWait(const MayNotWait&) = delete;
  MayNotWait& operator=(const MayNotWait&) = delete;

  static bool here() noexcept { return here_; }

 private:
  static constinit thread_local bool here_;
  bool before_;
};

/// Nothing is collected from now on. For exit() on a fiber: before anybody hears of it, it has told
/// the collector that this OS thread ends, which may look at the wrong stack then.
void stop_collecting();

/// Collects now.
void collect();

/// Collects at every n-th allocation, of a node or by operator new (0: only when it is due).
void set_torture(unsigned every);

struct CollectorStatistics {
  std::uint64_t collections = 0;
  Nanos time = 0;                   ///< spent with the world stopped or marking
  Nanos last = 0;                   ///< of that, in the last one
  std::size_t heap_bytes = 0;       ///< what the process holds
  std::size_t free_bytes = 0;       ///< of that, pages that nothing is in
  std::size_t live_bytes = 0;       ///< pages that something was in after the last collection
  std::size_t allocated_bytes = 0;  ///< so far, for nodes and by operator new
};
CollectorStatistics collector_statistics();

/// What the calling OS thread has had of the processor for collections.
Nanos collecting_time_here() noexcept;

/// Calls `hook(true)` before and `hook(false)` after each collection; it may not allocate.
void set_collection_hook(void (*hook)(bool begins));

// ---- stacks ------------------------------------------------------------------------------------

/// A stack that Trawl threads run on. While suspended, [stack_pointer, base) is scanned.
struct StackRecord {
  void* stack_pointer = nullptr;  ///< nullptr: somebody runs on it, or nothing there counts
  void* base = nullptr;           ///< its highest address
  StackRecord* next = nullptr;
  StackRecord* previous = nullptr;
};

/// Makes a stack known to the collector, until it is removed. It may be entered on any OS thread.
void add_stack(StackRecord& stack) noexcept;
void remove_stack(StackRecord& stack) noexcept;

/// The collector's view of one OS thread: the stack it is on, and its own. A thread has one from
/// its first use of `mutator()` until it ends.
class Mutator {
 public:
  using ThreadLocals = std::vector<std::span<std::byte>, PlainAllocator<std::span<std::byte>>>;

  Mutator();
  ~Mutator();
  Mutator(const Mutator&) = delete;
  Mutator& operator=(const Mutator&) = delete;

  /// The thread's own stack.
  StackRecord& native() noexcept { return native_; }

  /// Brackets a switch of stacks: no collection begins in between.
  void begin_switch() noexcept {
    while (switching_.test_and_set(std::memory_order_acquire)) pause();
  }
  /// On the new stack: `left` was suspended at `stack_pointer`; from now on we are on `entered`.
  void end_switch(StackRecord& left, void* stack_pointer, StackRecord& entered) noexcept {
    left.stack_pointer = stack_pointer;
    entered.stack_pointer = nullptr;
    current_ = &entered;
    switching_.clear(std::memory_order_release);
  }

  StackRecord& current() noexcept { return *current_; }

 private:
  friend struct CollectorHooks;
  static void pause() noexcept { __builtin_ia32_pause(); }

  std::atomic_flag switching_;
  StackRecord native_;
  StackRecord* current_ = &native_;
  void* handle_ = nullptr;
  // Filled while the loader's lock is held, which the collector takes after its own: not from its
  // heap.
  ThreadLocals thread_locals_;
  static constexpr std::size_t classes = 9;  // free lists of 16, 32, ... 128 bytes
  void* free_[classes] = {};
  friend struct NodeLists;
};

Mutator& mutator();

// ---- other places to look ----------------------------------------------------------------------

/// Something that knows of references in memory that is not scanned otherwise. Both are called
/// while all threads stand still, wherever they are.
class RootSource {
 public:
  /// Hands each place where they are to `scan`.
  virtual void roots(void (*scan)(std::span<const std::byte>)) const noexcept = 0;
  /// All that can be reached has been found. Of references that were not scanned, those to what
  /// does not live, or has not lived for long, must be forgotten.
  virtual void forget_the_dead(bool (*lives)(const void* object)) noexcept = 0;

 protected:
  ~RootSource() = default;

 private:
  friend void add_roots(RootSource& source);
  friend void remove_roots(RootSource& source);
  std::size_t place_ = 0;  // among all
};

void add_roots(RootSource& source);
void remove_roots(RootSource& source);

}  // namespace trawl::heap
