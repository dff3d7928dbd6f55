// A place in a spark pool.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <tuple>
#include <type_traits>

#include "code.hpp"
#include "node.hpp"

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
                               ((std::is_trivially_copyable_v<A> &&
                                 std::is_copy_constructible_v<A>)&&...);

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
  /// Of a call.
  std::uint32_t call_code() const noexcept {
    const auto seen = what_.load(std::memory_order_relaxed);
    return reinterpret_cast<const heap::Code*>(seen & ~kind_mask)->id;
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

}  // namespace trawl::sched
