// A node of the virtual shared heap: a thunk, whatever has become of it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace trawl::heap {

struct Code;

/// What a node is at this moment. Evaluation replaces the arguments in place by the result.
enum class State : std::uintptr_t {
  unevaluated,  ///< holds its arguments; whoever needs it, or has a spare moment, evaluates it
  black_hole,   ///< under evaluation on this PE
  value,        ///< holds its result
  exception,    ///< evaluation threw; holds a Failure
  fetch_me,     ///< lives on another PE, which the address table knows
  fetching,     ///< as fetch_me, and a FETCH, or a spark's value, is on its way
  exported,     ///< sent away, revertible: holds its arguments until it, or what went along, came
};

/// One word of header, then arguments or result. The word is the address of the Code, with the
/// state and two marks in its low bits.
struct alignas(16) Node {
  static constexpr std::uintptr_t state_mask = 7;
  static constexpr std::uintptr_t waited = 8;  ///< somebody is in its blocking queue
  static constexpr std::uintptr_t named = 16;  ///< it has a global address
  static constexpr std::uintptr_t mark_mask = 31;

  std::atomic<std::uintptr_t> word;

  static State state_in(std::uintptr_t word) noexcept {
    return static_cast<State>(word & state_mask);
  }

  State state(std::memory_order order = std::memory_order_acquire) const noexcept {
    return state_in(word.load(order));
  }

  const Code& code() const noexcept {
    return *reinterpret_cast<const Code*>(word.load(std::memory_order_relaxed) & ~mark_mask);
  }

  void init(const Code& code, State state) noexcept {
    word.store(reinterpret_cast<std::uintptr_t>(&code) | static_cast<std::uintptr_t>(state),
               std::memory_order_release);
  }

  /// Moves from one state to another if nobody was faster; the marks stay.
  bool move(State from, State to) noexcept {
    auto seen = word.load(std::memory_order_relaxed);
    while (state_in(seen) == from) {
      if (word.compare_exchange_weak(seen, with_state(seen, to), std::memory_order_acq_rel,
                                     std::memory_order_relaxed))
        return true;
    }
    return false;
  }

  /// Ends a state that only the caller can end. Returns the word as it was.
  std::uintptr_t settle(State from, State to) noexcept {
    return word.fetch_add(static_cast<std::uintptr_t>(to) - static_cast<std::uintptr_t>(from),
                          std::memory_order_acq_rel);
  }

  void mark(std::uintptr_t bit) noexcept { word.fetch_or(bit, std::memory_order_acq_rel); }
  void unmark(std::uintptr_t bit) noexcept { word.fetch_and(~bit, std::memory_order_acq_rel); }

  bool finished() const noexcept {
    const auto now = state();
    return now == State::value || now == State::exception;
  }

  std::byte* payload(std::size_t offset) noexcept {
    return reinterpret_cast<std::byte*>(this) + offset;
  }

 private:
  static std::uintptr_t with_state(std::uintptr_t word, State state) noexcept {
    return (word & ~state_mask) | static_cast<std::uintptr_t>(state);
  }
};

}  // namespace trawl::heap
