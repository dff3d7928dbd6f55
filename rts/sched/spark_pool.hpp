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
#include <mutex>
#include <span>
#include <vector>

#include "rts/bytes.hpp"
#include "rts/heap/code.hpp"
#include "rts/heap/collect.hpp"
#include "rts/heap/node.hpp"
#include "rts/sched/fence.hpp"

namespace trawl::sched {

/// A spark whose thunk sits in its caller's frame; the arguments, a std::tuple, follow. When
/// somebody else takes it, it is promoted: copied into the heap.
struct alignas(16) Frame {
  const heap::Code* code;
  std::atomic<heap::Node*> promoted{nullptr};

  explicit Frame(const heap::Code& its_code) noexcept : code(&its_code) {}

  heap::Node* promote() {
    heap::Node* node = code->promote(this + 1);
    promoted.store(node, std::memory_order_release);
    return node;
  }
};
static_assert(sizeof(Frame) == 16, "the arguments follow immediately");

/// A spark in a pool: a heap thunk, a frame, or nothing (what was taken out of the middle).
class Spark {
 public:
  Spark() = default;
  explicit Spark(heap::Node* node) noexcept : bits_(reinterpret_cast<std::uintptr_t>(node) | 1U) {}
  explicit Spark(Frame* frame) noexcept : bits_(reinterpret_cast<std::uintptr_t>(frame)) {}

  explicit operator bool() const noexcept { return bits_ != 0; }
  friend bool operator==(Spark, Spark) = default;

  /// Does it sit in a frame?
  bool framed() const noexcept { return bits_ != 0 && (bits_ & 1U) == 0; }
  /// The heap thunk; promotes a frame. nullptr if it has fizzled.
  heap::Node* take_node() const;
  bool fizzled() const noexcept;

 private:
  std::uintptr_t bits_ = 0;
};

/// The sparks lie in one array, oldest first; when its end is reached they move to its beginning.
class SparkPool final : heap::RootSource {
 public:
  explicit SparkPool(std::size_t capacity);
  ~SparkPool() { heap::remove_roots(*this); }
  SparkPool(const SparkPool&) = delete;
  SparkPool& operator=(const SparkPool&) = delete;

  // ---- owner

  /// False: the pool is full, and the spark ignored.
  bool push(Spark spark) noexcept {
    Slot* const bottom = bottom_.load(std::memory_order_relaxed);
    if (bottom == end_) [[unlikely]]
      return push_at_end(spark);
    bottom->store(spark, std::memory_order_relaxed);
    bottom_.store(bottom + 1, std::memory_order_release);
    return true;
  }

  /// Takes `spark` back if it is the newest and nobody else has taken it.
  bool take_back(Spark spark) noexcept {
    Slot* const newest = bottom_.load(std::memory_order_relaxed) - 1;
    if (newest->load(std::memory_order_relaxed) != spark) return false;
    bottom_.store(newest, owner_order);
    light_fence();
    if (top_.load(owner_order) <= newest) [[likely]]
      return true;
    return take_contended(newest);
  }

  /// Takes `spark` out wherever it is; false if it is not in the pool.
  bool remove(Spark spark) noexcept;

  /// The newest spark that has not fizzled, as a heap thunk; nullptr if there is none.
  heap::Node* take_newest();

  // ---- anybody

  /// The oldest spark that has not fizzled, as a heap thunk; nullptr if there is none. `by_owner`
  /// saves the heavy fence.
  heap::Node* take_oldest(bool by_owner);

  /// Frames' sparks that were promoted, and others that were found fizzled, so far.
  std::uint64_t promoted() const noexcept { return promoted_.load(std::memory_order_relaxed); }
  std::uint64_t fizzled() const noexcept { return fizzled_.load(std::memory_order_relaxed); }

  /// How many there are at about this moment, fizzled ones included.
  std::size_t size() const noexcept {
    const Slot* top = top_.load(std::memory_order_relaxed);
    const Slot* bottom = bottom_.load(std::memory_order_relaxed);
    return bottom > top ? static_cast<std::size_t>(bottom - top) : 0;
  }

 private:
  using Slot = std::atomic<Spark>;

  std::span<const std::byte> roots() const noexcept override;
  bool push_at_end(Spark spark) noexcept;
  bool take_contended(Slot* newest) noexcept;
  void compact() noexcept;
  heap::Node* taken(Spark spark);

  // Owner's side; thieves read bottom_.
  std::atomic<Slot*> bottom_;
  Slot* end_;
  std::size_t to_refuse_ = 0;  // sparks, before the next look for room
  // What lies beyond the ends is stale, and must not keep thunks alive. The first slot is never
  // used: take_back looks below an empty pool.
  std::vector<Slot, PlainAllocator<Slot>> slots_;

  alignas(64) std::atomic<Slot*> top_;
  std::mutex thieves_;
  std::atomic<std::uint64_t> promoted_{0};
  std::atomic<std::uint64_t> fizzled_{0};
};

}  // namespace trawl::sched
