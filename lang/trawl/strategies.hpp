// Evaluation strategies: how much of a value is evaluated, and what in parallel, kept apart from
// what is computed (Trinder, Hammond, Loidl, Peyton Jones 1998). Those of one value; containers.hpp
// has those of many.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include <trawl/deep.hpp>
#include <trawl/lazy.hpp>

namespace trawl {

// ---- of one value ------------------------------------------------------------------------------

/// Evaluates nothing.
struct R0 {
  /// Applies it.
  template <class T>
  void operator()(const Lazy<T>&) const {}
};
/// Evaluates the value.
struct Rseq {
  /// Applies it.
  template <class T>
  void operator()(const Lazy<T>& x) const {
    force(x);
  }
};
/// Lets somebody else evaluate the value.
struct Rpar {
  /// Applies it.
  template <class T>
  void operator()(const Lazy<T>& x) const {
    par(x);
  }
};
/// Evaluates the value and every Lazy inside it.
struct Rdeepseq {
  /// Applies it.
  template <class T>
  void operator()(const T& x) const {
    DeepEvaluation().evaluate(x);
  }
};

inline constexpr R0 r0;              ///< evaluates nothing
inline constexpr Rseq rseq;          ///< evaluates the value
inline constexpr Rpar rpar;          ///< lets somebody else evaluate the value
inline constexpr Rdeepseq rdeepseq;  ///< evaluates the value and every Lazy inside it

/// What can be applied to a T.
template <class S, class T>
concept StrategyOf = std::invocable < const std::remove_reference_t<S>
&, const std::remove_cvref_t<T>& > ;

/// `dot(second, first)`: first the one, then the other (GpH's `dot`).
template <class Second, class First>
struct Dot {
  [[no_unique_address]] Second second;  ///< applied after the other
  [[no_unique_address]] First first;    ///< applied before it

  /// Applies both.
  template <class T>
  requires StrategyOf<First, T> && StrategyOf<Second, T>
  void operator()(const T& x) const {
    first(x);
    second(x);
  }
};

/// Applies `first`, then `second`.
template <class Second, class First>
Dot<Second, First> dot(Second second, First first) {
  return {second, first};
}

namespace detail {

/// Is it one, of whatever? (For refusals.)
template <class S>
inline constexpr bool is_strategy = std::is_same_v<S, R0> || std::is_same_v<S, Rseq> ||
                                    std::is_same_v<S, Rpar> || std::is_same_v<S, Rdeepseq>;
template <class Second, class First>
inline constexpr bool is_strategy<Dot<Second, First>> = true;

/// Is to be given the value itself where that is a temporary.
template <class S>
concept TakesOver = requires {
  typename std::remove_cvref_t<S>::takes_over;
};

template <class S, class T>
concept NotOfOneLazy = heap::NodeReference<std::remove_cvref_t<T>> && !StrategyOf<S, T>;
template <class S, class T>
concept NotOfThis = !StrategyOf<S, T> && !NotOfOneLazy<S, T> &&
                    (is_strategy<std::remove_cvref_t<S>> || is_strategy<std::remove_cvref_t<T>>);

}  // namespace detail

/// Applies a strategy to a value. Gives the value (by reference, or moved out of a temporary), or
/// what the strategy makes of it.
template <class T, StrategyOf<T> Strategy>
decltype(auto) apply(T&& value, Strategy&& strategy) {
  using Value = std::remove_cvref_t<T>;
  using Made = decltype(std::as_const(strategy)(std::as_const(value)));
  if constexpr (!std::is_lvalue_reference_v<T> && detail::TakesOver<Strategy>) {
    return std::as_const(strategy)(std::forward<T>(value));
  } else if constexpr (std::is_void_v<Made> || std::is_same_v<Made, const Value&>) {
    std::as_const(strategy)(std::as_const(value));
    return static_cast<T>(std::forward<T>(value));
  } else {
    return std::as_const(strategy)(std::as_const(value));
  }
}

/// Refused, with what to write instead.
template <class T, detail::NotOfOneLazy<T> Strategy>
T&& apply(T&& value, Strategy&&) {
  static_assert(StrategyOf<Strategy, T>,
                "trawl: this strategy can't be applied to one Lazy; par_list and the like take a "
                "std::vector of them.");
  return std::forward<T>(value);
}

/// The same.
template <class T, detail::NotOfThis<T> Strategy>
T&& apply(T&& value, Strategy&&) {
  static_assert(!detail::is_strategy<std::remove_cvref_t<T>>,
                "trawl: apply takes the value first, then the strategy.");
  static_assert(
      detail::is_strategy<std::remove_cvref_t<T>> || StrategyOf<Strategy, T>,
      "trawl: this strategy can't be applied to this value: r0, rseq and rpar are for one "
      "Lazy, par_list and the like for a container of what their own strategy is for, par_tuple "
      "and "
      "seq_tuple for as many parts as they have strategies, par_buffer for a std::vector or a list "
      "of Lazy. (Data of skeletons need none.)");
  return std::forward<T>(value);
}

}  // namespace trawl
