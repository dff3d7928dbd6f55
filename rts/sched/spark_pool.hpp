// The spark pool of one worker: a double-ended queue without atomic read-modify-writes at its
// owner's end.
//
// The owner pushes and takes the newest; thieves, one at a time under a lock, take the oldest. This
// is the protocol of Cilk's THE: each side announces what it is about to take and then looks at
// what the other has announced. The owner's announcement is a plain store (see fence.hpp).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "rts/heap/collect.hpp"
#include "rts/host/brief_mutex.hpp"
#include "rts/inline/bytes.hpp"
#include "rts/inline/node.hpp"
#include "rts/inline/owner_end.hpp"
#include "rts/sched/fence.hpp"

namespace trawl::sched {

class Recorder;

/// Pages of zeros, none of which is there before it is written; the collector does not see them.
struct UntouchedPages {
  static void* get(std::size_t bytes);
  static void give(void* memory, std::size_t bytes) noexcept;
};

/// For T that are all zeros at first, as empty slots are.
template <class T>
struct UntouchedAllocator {
  using value_type = T;

  UntouchedAllocator() = default;
  template <class U>  // NOLINTNEXTLINE(google-explicit-constructor)
  UntouchedAllocator(const UntouchedAllocator<U>&) noexcept {}

  T* allocate(std::size_t count) { return static_cast<T*>(UntouchedPages::get(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t count) noexcept {
    UntouchedPages::give(memory, count * sizeof(T));
  }
  template <class U>
  void construct(U*) noexcept {}

  friend bool operator==(const UntouchedAllocator&, const UntouchedAllocator&) { return true; }
};

/// The slots lie in one array, oldest first; when its end is reached thunks move towards its
/// beginning.
class SparkPool : public OwnerEnd {
 public:
  /// `noticed` is called, by the owner, for the first spark after a call of `watch`.
  explicit SparkPool(std::size_t capacity, std::function<void()> noticed = {});
  ~SparkPool() { heap::remove_roots(roots_); }

  /// Of all pools: do collections forget sparks? Not in a simulation: no run depends on when the
  /// collector runs.
  static void set_weak(bool weak) noexcept;
  /// Of a run with a log: who is told of a spark that is made, of which code, by spawn or by par;
  /// `caller` is an address in what makes it, or nullptr.
  using Tell = std::function<void(std::uint32_t code, bool call, const void* caller)>;
  void tell(Tell tell) { tell_ = std::move(tell); }
  /// By the owner: of the next `number` sparks.
  void look(int number) noexcept {
    if (!tell_) return;
    to_look_at_ = number;
    take_the_slow_way();
  }
  /// By anybody: of the next ones, so many.
  static constexpr int a_burst = 32;
  void look_soon() noexcept {
    look_soon_.store(true);
    take_the_slow_way();
  }
  /// Of a run that is recorded: all that comes goes to the recorder, and nothing lies here.
  void record(Recorder& recorder) noexcept {
    recorder_ = &recorder;
    watch();
  }

  // ---- owner

  using OwnerEnd::push;
  using OwnerEnd::take_back;

  /// False: this spark has to come by push, or where it best goes is to be found out before.
  bool push_quickly(heap::Node* node) noexcept {
    Slot* const bottom = bottom_.load(std::memory_order_relaxed);
    if (bottom >= quick_end_.load(std::memory_order_relaxed)) [[unlikely]]
      return false;
    bottom->put(node);
    bottom_.store(bottom + 1, std::memory_order_release);
    return true;
  }
  /// push_quickly is good again, unless sparks are watched for.
  void allow_quick() noexcept;

  /// False: the pool is full, and the spark ignored. `caller` is for the log, see trace::Sites.
  bool push(heap::Node* node, const void* caller = nullptr) noexcept {
    Slot* const bottom = bottom_.load(std::memory_order_relaxed);
    if (bottom >= end_.load(std::memory_order_relaxed)) [[unlikely]]
      return push_at_end(node, caller);
    bottom->put(node);
    bottom_.store(bottom + 1, std::memory_order_release);
    return true;
  }

  /// The same for a thunk.
  bool take_back(const heap::Node* node) noexcept {
    const Taken taken = take_back_quickly(node);
    return taken == Taken::yes || (taken == Taken::maybe && take_back_contended());
  }
  /// The same in two steps, for who would rather not come back from the second: after `maybe` it
  /// has to follow.
  enum class Taken : std::uint8_t { yes, no, maybe };
  Taken take_back_quickly(const heap::Node* node) noexcept {
    Slot* const newest = bottom_.load(std::memory_order_relaxed) - 1;
    if (!newest->holds(node)) return Taken::no;
    return claim_quickly(newest) ? Taken::yes : Taken::maybe;
  }
  bool take_back_contended() noexcept {
    return claim_contended(bottom_.load(std::memory_order_relaxed));
  }

  /// For a call that could not simply be taken back. nullptr: it is the caller's after all, who
  /// copies the arguments and then discards the slot. Otherwise somebody else has taken it, and
  /// this is its copy in the heap. Not `by_owner`: its spawner goes on elsewhere, see `seal`.
  heap::Node* reclaim(Slot* slot, bool by_owner) noexcept;

  /// The newest spark that has not fizzled, as a heap thunk; nullptr if there is none. Here and
  /// below, where it lay is written to `place`, if that is not nullptr.
  heap::Node* take_newest(std::uint32_t* place = nullptr);
  /// Where the next spark would lie, counted from the beginning.
  std::uint32_t next_place() const noexcept {
    return place_of(bottom_.load(std::memory_order_relaxed));
  }

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
  heap::Node* take_oldest(bool by_owner, std::uint32_t* place = nullptr);
  /// The same for a thief who can look elsewhere: nullptr, too, while somebody else is at it.
  heap::Node* take_oldest_if_free(std::uint32_t* place = nullptr);

  /// The owner will notice the next spark. Costs nothing where there is none.
  void watch() noexcept {
    watched_.store(true);
    take_the_slow_way();
  }
  /// Thunks do not come by push_quickly until allow_quick.
  void refuse_quick() noexcept { quick_end_.store(slots_.data()); }
  bool watched() const noexcept { return watched_.load(std::memory_order_relaxed); }

  /// Of a simulated worker: `ask` is called before each spark, and call, is put here.
  void always_ask(std::function<void()> ask);

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

  /// By its owner: how many more it takes. Where that is less than wanted it looks for what has
  /// fizzled, if there may be much.
  std::size_t room(std::size_t wanted) noexcept;

 private:
  friend class OwnerEnd;

  Slot* first() noexcept { return slots_.data() + 1; }
  bool in_array(const Slot* slot) const noexcept {
    return slot > slots_.data() && slot < slots_.data() + slots_.size();
  }
  std::uint32_t place_of(const Slot* slot) const noexcept {
    return static_cast<std::uint32_t>(slot - slots_.data());
  }
  heap::Node* take_oldest_locked(bool by_owner, std::uint32_t* place);
  void take_the_slow_way() noexcept {
    end_.store(slots_.data());
    refuse_quick();
  }
  bool push_at_end(heap::Node* node, const void* caller) noexcept;
  template <class Put>
  Slot* push_slowly(Put put) noexcept;
  bool has_to_look() noexcept;
  void look_at(std::uint32_t code, bool call, const void* caller) noexcept;
  bool holds_calls(const Slot* end) const noexcept;
  bool stop_watching() noexcept;
  bool make_room() noexcept;
  void give_up(const Slot* slot) noexcept;
  bool skipped(const Slot& slot) const noexcept;
  void uncover(Slot* newest) noexcept;
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

  // Thieves' side: it goes on where OwnerEnd's top_ ends.
  BriefMutex thieves_;
  std::atomic<std::uint64_t> promoted_{0};
  std::atomic<std::uint64_t> fizzled_{0};
  std::atomic<std::uint64_t> refused_{0};
  std::atomic<std::uint64_t> refused_calls_{0};
  std::uint64_t settled_ = 0;  // of what was taken twice; guarded by thieves_
  Roots roots_{*this};

  // Owner's side.
  alignas(64) Slot* limit_;
  std::function<void()> noticed_;
  std::function<void()> ask_;  // if there is one, end_ is always the beginning
  std::atomic<bool> watched_{false};
  Tell tell_;
  std::atomic<bool> look_soon_{false};
  int to_look_at_ = 0;
  Recorder* recorder_ = nullptr;
  std::size_t to_refuse_ = 0;  // sparks, before the next look for room
  Slot* looked_ = nullptr;     // up to here, for what has fizzled
  // Where room ends for push_quickly, or the beginning. Not end_: calls don't go to their data.
  std::atomic<Slot*> quick_end_;
  // The first slot is never used: take_back looks below an empty pool. Nor is the last, but for
  // what is being pushed. Below top_ lie promoted calls whose spawners have not come back yet, and
  // nothing.
  std::vector<Slot, UntouchedAllocator<Slot>> slots_;
};

}  // namespace trawl::sched
