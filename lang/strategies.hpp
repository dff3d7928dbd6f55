// Evaluation strategies: how much of a value is evaluated, and what in parallel, kept apart from
// what is computed (Trinder, Hammond, Loidl, Peyton Jones 1998).
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

#include "lang/deep.hpp"
#include "lang/lazy.hpp"

namespace trawl {

// ---- of one value ------------------------------------------------------------------------------

/// Evaluates nothing.
struct R0 {
  template <class T>
  void operator()(const Lazy<T>&) const {}
};
/// Evaluates the value.
struct Rseq {
  template <class T>
  void operator()(const Lazy<T>& x) const {
    force(x);
  }
};
/// Lets somebody else evaluate the value.
struct Rpar {
  template <class T>
  void operator()(const Lazy<T>& x) const {
    par(x);
  }
};
/// Evaluates the value and every Lazy inside it.
struct Rdeepseq {
  template <class T>
  void operator()(const T& x) const {
    DeepEvaluation().evaluate(x);
  }
};

inline constexpr R0 r0;
inline constexpr Rseq rseq;
inline constexpr Rpar rpar;
inline constexpr Rdeepseq rdeepseq;

/// What can be applied to a T.
template <class S, class T>
concept StrategyOf = std::invocable < const std::remove_reference_t<S>
&, const std::remove_cvref_t<T>& > ;

namespace detail {

template <class S, class T>
concept NotOfOneLazy = heap::NodeReference<std::remove_cvref_t<T>> && !StrategyOf<S, T>;

}  // namespace detail

/// Applies a strategy to a value. Gives the value (by reference, or moved out of a temporary), or
/// what the strategy makes of it.
template <class T, StrategyOf<T> Strategy>
decltype(auto) apply(T&& value, Strategy&& strategy) {
  using Value = std::remove_cvref_t<T>;
  using Made = decltype(std::as_const(strategy)(std::as_const(value)));
  if constexpr (std::is_void_v<Made> || std::is_same_v<Made, const Value&>) {
    std::as_const(strategy)(std::as_const(value));
    return static_cast<T>(std::forward<T>(value));
  } else {
    return std::as_const(strategy)(std::as_const(value));
  }
}

template <class T, detail::NotOfOneLazy<T> Strategy>
T&& apply(T&& value, Strategy&&) {
  static_assert(StrategyOf<Strategy, T>,
                "trawl: this strategy can't be applied to one Lazy; par_list and the like take a "
                "std::vector of them.");
  return std::forward<T>(value);
}

// ---- of lists ----------------------------------------------------------------------------------

namespace detail {

template <class Strategy>
consteval void must_travel() {
  static_assert(std::is_empty_v<Strategy>,
                "trawl: a strategy for the elements of a list can't have parameters of its own.");
}

/// Applies a strategy where it runs; its result takes home what was evaluated there.
template <class Strategy>
struct Applied {
  template <class T>
  Lazy<T> operator()(const Lazy<T>& x) const {
    Strategy{}(x);
    return x;
  }
  template <class T>
  std::vector<Lazy<T>> operator()(const std::vector<Lazy<T>>& chunk) const {
    for (const auto& x : chunk) Strategy{}(x);
    return chunk;
  }
};

template <class Strategy, class T>
void spark_with(const Lazy<T>& x) {
  if constexpr (std::is_same_v<Strategy, Rseq> || std::is_same_v<Strategy, Rpar> ||
                (std::is_same_v<Strategy, Rdeepseq> && heap::PointerFree<T>))
    par(x);
  else if constexpr (!std::is_same_v<Strategy, R0> && std::is_empty_v<Strategy>)
    par(lazy(Applied<Strategy>(), x));
}

}  // namespace detail

/// Applies a strategy to each element, one after the other, here.
template <class Strategy>
auto seq_list(Strategy strategy) {
  return [strategy]<class T>(const std::vector<Lazy<T>>& xs) -> const std::vector<Lazy<T>>& {
    for (const auto& x : xs) strategy(x);
    return xs;
  };
}

/// A spark for each element, which applies the strategy to it.
template <class Strategy>
auto par_list(Strategy) {
  detail::must_travel<Strategy>();
  return []<class T>(const std::vector<Lazy<T>>& xs) -> const std::vector<Lazy<T>>& {
    for (const auto& x : xs) detail::spark_with<Strategy>(x);
    return xs;
  };
}

/// A spark for every `size` elements.
template <class Strategy>
auto par_list_chunk(std::size_t size, Strategy) {
  detail::must_travel<Strategy>();
  return [size]<class T>(const std::vector<Lazy<T>>& xs) -> const std::vector<Lazy<T>>& {
    const auto step = size == 0 ? 1 : size;
    for (std::size_t from = 0; from < xs.size(); from += step) {
      const auto begin = xs.begin() + static_cast<std::ptrdiff_t>(from);
      const auto end = begin + static_cast<std::ptrdiff_t>(std::min(step, xs.size() - from));
      if constexpr (std::is_empty_v<Strategy>)
        par(lazy(detail::Applied<Strategy>(), std::vector<Lazy<T>>(begin, end)));
    }
    return xs;
  };
}

/// A list that is sparked a few elements ahead of whoever goes through it.
template <class T, class Strategy>
class Buffered {
 public:
  Buffered(std::vector<Lazy<T>> xs, std::size_t ahead) : xs_(std::move(xs)), ahead_(ahead) {
    for (std::size_t i = 0; i < std::min(ahead_, xs_.size()); ++i)
      detail::spark_with<Strategy>(xs_[i]);
  }

  class iterator {
   public:
    iterator(const Buffered& list, std::size_t at) : list_(&list), at_(at) {}
    const T& operator*() const { return force(list_->xs_[at_]); }
    iterator& operator++() {
      if (at_ + list_->ahead_ < list_->xs_.size())
        detail::spark_with<Strategy>(list_->xs_[at_ + list_->ahead_]);
      ++at_;
      return *this;
    }
    friend bool operator==(const iterator&, const iterator&) = default;

   private:
    const Buffered* list_;
    std::size_t at_;
  };

  iterator begin() const { return {*this, 0}; }
  iterator end() const { return {*this, xs_.size()}; }

 private:
  std::vector<Lazy<T>> xs_;
  std::size_t ahead_;
};

/// For long lists: `for (const T& x : apply(xs, par_buffer(100, rseq)))` keeps at most about 100
/// sparks ahead of the loop.
template <class Strategy>
auto par_buffer(std::size_t ahead, Strategy) {
  detail::must_travel<Strategy>();
  return [ahead]<class T>(const std::vector<Lazy<T>>& xs) -> Buffered<T, Strategy> {
    return {xs, ahead};
  };
}

// ---- maps --------------------------------------------------------------------------------------

namespace detail {

template <class T, class Xs>
void reserve_for(std::vector<T>& all, const Xs& xs) {
  if constexpr (std::ranges::sized_range<const Xs>)
    all.reserve(static_cast<std::size_t>(std::ranges::size(xs)));
}

}  // namespace detail

/// A thunk `F(x)` for each x of a container or another range.
template <auto F, std::ranges::input_range Xs>
auto lazy_map(const Xs& xs) {
  std::vector<decltype(lazy<F>(*std::ranges::begin(xs)))> thunks;
  detail::reserve_for(thunks, xs);
  for (const auto& x : xs) thunks.push_back(lazy<F>(x));
  return thunks;
}

/// The values of a list of thunks.
template <class T>
std::vector<T> force_all(const std::vector<Lazy<T>>& xs) {
  std::vector<T> values;
  values.reserve(xs.size());
  for (const auto& x : xs) values.push_back(force(x));
  return values;
}

namespace detail {

template <auto F, class T>
auto map_chunk(const std::vector<T>& xs) {
  std::vector<std::decay_t<decltype(F(xs.front()))>> values;
  values.reserve(xs.size());
  for (const auto& x : xs) values.push_back(F(x));
  return values;
}

}  // namespace detail

/// `F` of each element of a container or another range, in parallel, a spark for every `chunk`
/// elements.
template <auto F, std::ranges::input_range Xs>
auto par_map(const Xs& xs, std::size_t chunk = 1) {
  using T = std::ranges::range_value_t<const Xs>;
  using R = std::decay_t<decltype(F(std::declval<const T&>()))>;
  std::vector<Lazy<std::vector<R>>> parts;
  for (auto at = std::ranges::begin(xs); at != std::ranges::end(xs);) {
    std::vector<T> part;
    do {
      part.push_back(*at);
      ++at;
    } while (part.size() < chunk && at != std::ranges::end(xs));
    parts.push_back(par(lazy<&detail::map_chunk<F, T>>(std::move(part))));
  }
  std::vector<R> values;
  detail::reserve_for(values, xs);
  for (const auto& part : parts)
    for (const auto& value : force(part)) values.push_back(value);
  return values;
}

namespace detail {

template <auto Map, auto Reduce, class I, class R>
R reduce_chunk(I from, I to, R start) {
  R sum = std::move(start);
  for (I i = from; i < to; ++i) sum = Reduce(std::move(sum), Map(i));
  return sum;
}

}  // namespace detail

/// Map(from), ..., Map(to - 1), reduced from the left in order, beginning with `unit`, which must
/// be neutral; a spark for every `chunk` indices. Reduce must be associative.
template <auto Map, auto Reduce, class I, class R>
R par_map_reduce(I from, std::type_identity_t<I> to, std::type_identity_t<I> chunk, R unit) {
  std::vector<Lazy<R>> parts;
  const I step = chunk < 1 ? I{1} : chunk;
  for (I at = from; at < to; at += std::min<I>(step, to - at))
    parts.push_back(
        lazy<&detail::reduce_chunk<Map, Reduce, I, R>>(at, at + std::min<I>(step, to - at), unit));
  apply(parts, par_list(rseq));
  R sum = unit;
  for (const auto& part : parts) sum = Reduce(std::move(sum), force(part));
  return sum;
}

}  // namespace trawl
