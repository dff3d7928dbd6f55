// The spark pool of one worker: a double-ended queue without atomic read-modify-writes at its
// owner's end.
//
// The owner pushes and takes the newest; thieves, one at a time under a lock, take the oldest. This
// is the protocol of Cilk's THE: each side announces what it is about to take and then looks at
// what the other has announced. The owner's announcement is a plain store (see fence.hpp).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <new>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

#include "rts/bytes.hpp"
#include "rts/heap/code.hpp"
#include "rts/heap/collect.hpp"
#include "rts/heap/node.hpp"
#include "rts/sched/fence.hpp"
#include "rts/stats.hpp"

namespace trawl::sched {

/// A call's arguments, a std::tuple, that stay where they are.
struct Elsewhere {
  const void* arguments;
};

/// A place in a pool: a heap thunk; or a call (spawn) with its arguments, or with the address of
/// its arguments; or a seal; or nothing. A call stays in its slot until its spawner takes it back:
/// when somebody else takes it, it is promoted, copied into the heap, and the slot refers to the
/// copy.
class alignas(64) Slot {
 public:
  static constexpr std::size_t room = 56;

  /// Can arguments of these types lie in a slot?
  template <class... A>
  static constexpr bool fits = sizeof(std::tuple<A...>) <= room &&
                               alignof(std::tuple<A...>) <= alignof(void*) &&
                               (std::is_trivially_copyable_v<A> && ...);

  Slot() = default;
  Slot(const Slot& other) noexcept { put(other); }
  Slot& operator=(const Slot&) = delete;

  template <class... A>
  void put(const heap::Code& code, A... arguments) noexcept {
    new (arguments_.data()) std::tuple<A...>(arguments...);
    set(&code, call);
  }
  void put(const heap::Code& code, Elsewhere arguments) noexcept {
    new (arguments_.data()) Elsewhere(arguments);
    set(&code, call_elsewhere);
  }
  void put(heap::Node* node) noexcept { set(node, thunk); }
  void put(const Slot& other) noexcept {
    arguments_ = other.arguments_;
    what_.store(other.what_.load(std::memory_order_relaxed), std::memory_order_relaxed);
  }
  /// Nobody takes it; see SparkPool::seal.
  void put_seal() noexcept { set(nullptr, call_promoted); }
  void clear() noexcept { what_.store(0, std::memory_order_relaxed); }

  template <class Arguments>
  const Arguments& arguments() const noexcept {
    return *std::launder(reinterpret_cast<const Arguments*>(arguments_.data()));
  }

  bool empty() const noexcept { return what_.load(std::memory_order_relaxed) == 0; }
  bool holds(const heap::Node* node) const noexcept {
    return what_.load(std::memory_order_relaxed) ==
           (reinterpret_cast<std::uintptr_t>(node) | thunk);
  }
  bool is_seal() const noexcept { return what_.load(std::memory_order_relaxed) == call_promoted; }
  /// Is it a call whose spawner will come back to this slot, or a seal?
  bool pinned() const noexcept {
    const auto seen = what_.load(std::memory_order_relaxed);
    return seen != 0 && kind_in(seen) != thunk;
  }
  /// Nobody can make use of the thunk any more.
  bool fizzled() const noexcept;
  /// The copy of a call that was promoted, or nullptr.
  heap::Node* promoted() const noexcept {
    const auto seen = what_.load(std::memory_order_relaxed);
    return kind_in(seen) == call_promoted ? node_in(seen) : nullptr;
  }

  /// The thunk that lies here; nullptr: a call, or nothing.
  heap::Node* heap_thunk() const noexcept {
    const auto seen = what_.load(std::memory_order_acquire);
    return kind_in(seen) == thunk ? node_in(seen) : nullptr;
  }
  /// Clears the slot of a thunk, without a claim. False: its owner has taken it meanwhile, and may
  /// have put something newer here.
  bool clear(const heap::Node* node) noexcept {
    auto seen = reinterpret_cast<std::uintptr_t>(node) | thunk;
    return what_.compare_exchange_strong(seen, 0, std::memory_order_relaxed);
  }
  /// Copies a call into the heap; nullptr if there is nothing any more. To be called by whoever has
  /// claimed the slot.
  heap::Node* promote();

  /// For the collector, while all threads stand still. Of a call that is being put here, or has
  /// been claimed, only the arguments may be left.
  std::span<const std::byte> references(bool claimed) const noexcept;
  /// Clears the slot of a thunk that has died, or that nobody can make use of any more. Has it?
  bool forget_the_dead(bool (*lives)(const void*), bool claimed, bool newest) noexcept;

  /// Takes over the thunk in `from`; the collector sees it at every moment.
  void take_over(Slot& from) noexcept {
    what_.store(from.what_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    from.clear();
  }

 private:
  enum Kind : std::uintptr_t { call, call_elsewhere, thunk, call_promoted };
  static constexpr std::uintptr_t kind_mask = 3;

  void set(const void* what, Kind kind) noexcept {
    what_.store(reinterpret_cast<std::uintptr_t>(what) | kind, std::memory_order_relaxed);
  }
  static Kind kind_in(std::uintptr_t what) noexcept { return static_cast<Kind>(what & kind_mask); }
  static heap::Node* node_in(std::uintptr_t what) noexcept {
    return reinterpret_cast<heap::Node*>(what & ~kind_mask);
  }

  std::atomic<std::uintptr_t> what_{0};
  alignas(void*) std::array<std::byte, room> arguments_;
};

/// The slots lie in one array, oldest first; when its end is reached thunks move towards its
/// beginning.
class SparkPool {
 public:
  /// `noticed` is called, by the owner, for the first spark after a call of `watch`.
  explicit SparkPool(std::size_t capacity, std::function<void()> noticed = {});
  ~SparkPool() { heap::remove_roots(roots_); }
  SparkPool(const SparkPool&) = delete;
  SparkPool& operator=(const SparkPool&) = delete;

  /// Of all pools: do collections forget sparks? Not in a simulation: no run depends on when the
  /// collector runs.
  static void set_weak(bool weak) noexcept;

  // ---- owner

  /// False: the pool is full, and the spark ignored.
  bool push(heap::Node* node) noexcept {
    Slot* const bottom = bottom_.load(std::memory_order_relaxed);
    if (bottom >= end_.load(std::memory_order_relaxed)) [[unlikely]]
      return push_at_end(node);
    bottom->put(node);
    bottom_.store(bottom + 1, std::memory_order_release);
    return true;
  }

  /// A call, which its spawner must take_back or reclaim. `arguments` fit, or it is an Elsewhere.
  /// When the pool is full nobody else will take it. (By value: of what is read by a reference, in
  /// two places, g++ keeps a copy on the stack.)
  template <class... A>
  [[gnu::always_inline]] Slot* push(const heap::Code& code, A... arguments) {
    calls_.add();
    Slot* const bottom = bottom_.load(std::memory_order_relaxed);
    if (bottom >= end_.load(std::memory_order_relaxed)) [[unlikely]] {
      bottom->put(code, arguments...);  // handing them over otherwise would cost the fast way
      return push_call_at_end();
    }
    bottom->put(code, arguments...);
    bottom_.store(bottom + 1, std::memory_order_release);
    return bottom;
  }

  /// Takes a call back if it is the newest spark and nobody else has taken it. Its arguments may be
  /// read until the next push.
  bool take_back(Slot* slot) noexcept {
    // As a distance: of two equal addresses g++ keeps both in registers, from push on.
    const auto above = reinterpret_cast<std::uintptr_t>(bottom_.load(std::memory_order_relaxed));
    return above - reinterpret_cast<std::uintptr_t>(slot) == sizeof(Slot) && claim(slot);
  }
  /// The same for a thunk.
  bool take_back(const heap::Node* node) noexcept {
    Slot* const newest = bottom_.load(std::memory_order_relaxed) - 1;
    return newest->holds(node) && claim(newest);
  }

  /// For a call that could not simply be taken back. nullptr: it is the caller's after all, who
  /// copies the arguments and then discards the slot. Otherwise somebody else has taken it, and
  /// this is its copy in the heap. Not `by_owner`: its spawner goes on elsewhere, see `seal`.
  heap::Node* reclaim(Slot* slot, bool by_owner) noexcept;
  void discard(const Slot* slot) noexcept;

  /// The newest spark that has not fizzled, as a heap thunk; nullptr if there is none.
  heap::Node* take_newest();

  // ---- threads that go on elsewhere
  //
  // The calls that a thread has not synced when it blocks stay here. While a seal lies above them
  // the owner does not come down to them, so nobody takes them back the fast way.

  /// Owner: seals what lies above the newest seal, if there may be calls. The seal; nullptr: there
  /// is no need of one; nothing: there is no room, and the thread has to go on here.
  std::optional<Slot*> seal() noexcept;
  /// Owner, whose thread goes on here: is its seal the newest spark? Then it is gone.
  bool lift(Slot* seal) noexcept;
  /// Anybody. The thread has ended.
  void drop(Slot* seal) noexcept;
  /// Anybody. Drops it if no calls are left below, and says so.
  bool drop_if_needless(Slot* seal) noexcept;

  // ---- anybody

  /// The oldest spark that has not fizzled, as a heap thunk; nullptr if there is none. `by_owner`
  /// saves the heavy fence. A thunk may be given to somebody else too, at the same moment: who
  /// evaluates or exports it is decided in its header.
  heap::Node* take_oldest(bool by_owner);

  /// The owner will notice the next spark. Costs nothing where there is none.
  void watch() noexcept { end_.store(slots_.data(), std::memory_order_relaxed); }
  bool watched() const noexcept { return end_.load(std::memory_order_relaxed) != limit_; }

  // So far. To add up at any moment, what became of sparks is to be read before how many were made:
  // in the order of these.

  /// Thunks that were found fizzled.
  std::uint64_t fizzled() const noexcept { return fizzled_.load(std::memory_order_acquire); }
  /// Thunks that two have got: one of them finds, or will find, that it has fizzled.
  std::uint64_t taken_twice() noexcept;
  /// Thunks, and calls, for which there was no room.
  std::uint64_t refused() const noexcept { return refused_.load(std::memory_order_acquire); }
  std::uint64_t refused_calls() const noexcept {
    return refused_calls_.load(std::memory_order_acquire);
  }
  /// Calls that somebody else took, and all.
  std::uint64_t promoted() const noexcept { return promoted_.load(std::memory_order_acquire); }
  std::uint64_t calls() const noexcept { return calls_.value(); }

  /// How many there are at about this moment, fizzled ones included; 0 after take_newest found
  /// none.
  std::size_t size() const noexcept {
    const Slot* top = top_.load(std::memory_order_relaxed);
    const Slot* bottom = bottom_.load(std::memory_order_relaxed);
    return bottom > top ? static_cast<std::size_t>(bottom - top) : 0;
  }

  /// How many more it takes at least; fizzled ones may make room too.
  std::size_t room() const noexcept { return slots_.size() - 2 - size(); }

 private:
  bool claim(Slot* newest) noexcept {
    bottom_.store(newest, owner_order);
    light_fence();
    if (top_.load(owner_order) <= newest) [[likely]]
      return true;
    return claim_contended(newest);
  }

  Slot* first() noexcept { return slots_.data() + 1; }
  bool in_array(const Slot* slot) const noexcept {
    return slot > slots_.data() && slot < slots_.data() + slots_.size();
  }
  bool push_at_end(heap::Node* node) noexcept;
  [[gnu::cold]] Slot* push_call_at_end();
  template <class Put>
  Slot* push_slowly(Put put) noexcept;
  bool holds_calls(const Slot* end) const noexcept;
  bool stop_watching() noexcept;
  bool make_room() noexcept;
  bool claim_contended(Slot* newest) noexcept;
  void give_up(const Slot* slot) noexcept;
  bool skipped(const Slot& slot) const noexcept;
  bool skip_empty(Slot* top, bool by_owner) noexcept;
  void compact() noexcept;
  void trim(const Slot* not_below) noexcept;

  /// Tells the collector of the calls. A thunk lives as long as somebody else refers to it.
  class Roots final : public heap::RootSource {
   public:
    explicit Roots(SparkPool& pool) : pool_(pool) {}

   private:
    void roots(void (*scan)(std::span<const std::byte>)) const noexcept override;
    void forget_the_dead(bool (*lives)(const void*)) noexcept override;

    SparkPool& pool_;
  };

  // Owner's side; thieves read bottom_. It comes first, as g++ keeps its address in
  // a register between spawn and sync.
  std::atomic<Slot*> bottom_;
  std::atomic<Slot*> end_;  // limit_, or the beginning while sparks are watched for
  Tally calls_;
  Slot* limit_;
  std::function<void()> noticed_;
  std::size_t to_refuse_ = 0;  // sparks, before the next look for room
  // The first slot is never used: take_back looks below an empty pool. Nor is the last, but for
  // what is being pushed. Below top_ lie promoted calls whose spawners have not come back yet, and
  // nothing.
  std::vector<Slot, PlainAllocator<Slot>> slots_;

  alignas(64) std::atomic<Slot*> top_;
  std::mutex thieves_;
  std::atomic<std::uint64_t> promoted_{0};
  std::atomic<std::uint64_t> fizzled_{0};
  std::atomic<std::uint64_t> refused_{0};
  std::atomic<std::uint64_t> refused_calls_{0};
  std::uint64_t settled_ = 0;  // of what was taken twice; guarded by thieves_
  Roots roots_{*this};
};

}  // namespace trawl::sched
