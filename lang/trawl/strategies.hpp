// Evaluation strategies: how much of a value is evaluated, and what in parallel, kept apart from
// what is computed (Trinder, Hammond, Loidl, Peyton Jones 1998).
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <trawl/deep.hpp>
#include <trawl/lazy.hpp>
#include <trawl/spread.hpp>

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

/// Refused, with what to write instead.
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

/// Is it enough to spark the values themselves?
template <class Strategy, class T>
inline constexpr bool only_evaluates = std::is_same_v<Strategy, Rseq> ||
                                       std::is_same_v<Strategy, Rpar> ||
                                       (std::is_same_v<Strategy, Rdeepseq> && heap::PointerFree<T>);

template <class Strategy, class T>
void spark_with(std::span<const Lazy<T>> xs) {
  if constexpr (only_evaluates<Strategy, T>) {
    spark_all(xs);
  } else if constexpr (!std::is_same_v<Strategy, R0> && std::is_empty_v<Strategy>) {
    std::vector<Lazy<Lazy<T>>> applied;
    applied.reserve(xs.size());
    for (const auto& x : xs) applied.push_back(lazy(Applied<Strategy>(), x));
    spark_all(std::span<const Lazy<Lazy<T>>>(applied), Held::by_nobody);
  }
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
    detail::spark_with<Strategy>(std::span(xs));
    return xs;
  };
}

/// A spark for every `size` elements.
template <class Strategy>
auto par_list_chunk(std::size_t size, Strategy) {
  detail::must_travel<Strategy>();
  return [size]<class T>(const std::vector<Lazy<T>>& xs) -> const std::vector<Lazy<T>>& {
    if constexpr (std::is_empty_v<Strategy>) {
      std::vector<Lazy<std::vector<Lazy<T>>>> chunks;
      for (auto left = std::span(xs); !left.empty();) {
        const auto chunk = left.first(std::min(std::max<std::size_t>(size, 1), left.size()));
        chunks.push_back(
            lazy(detail::Applied<Strategy>(), std::vector<Lazy<T>>(chunk.begin(), chunk.end())));
        left = left.subspan(chunk.size());
      }
      detail::spark_all(std::span<const Lazy<std::vector<Lazy<T>>>>(chunks),
                        detail::Held::by_nobody);
    }
    return xs;
  };
}

/// A list that is sparked a few elements ahead of whoever goes through it.
template <class T, class Strategy>
class Buffered {
 public:
  /// Sparks the first `ahead` of them.
  Buffered(std::vector<Lazy<T>> xs, std::size_t ahead) : xs_(std::move(xs)), ahead_(ahead) {
    detail::spark_with<Strategy>(part(0, ahead_));
  }

  /// Each step sparks one element more.
  class iterator {
   public:
    /// Stands at element `at`.
    iterator(const Buffered& list, std::size_t at) : list_(&list), at_(at) {}
    /// Forces it.
    const T& operator*() const { return force(list_->xs_[at_]); }
    /// The next element.
    iterator& operator++() {
      detail::spark_with<Strategy>(list_->part(at_ + list_->ahead_, 1));
      ++at_;
      return *this;
    }
    /// At the same element?
    friend bool operator==(const iterator&, const iterator&) = default;

   private:
    const Buffered* list_;
    std::size_t at_;
  };

  /// The first element.
  iterator begin() const { return {*this, 0}; }
  /// Behind the last one.
  iterator end() const { return {*this, xs_.size()}; }

 private:
  /// What there is of so many elements.
  std::span<const Lazy<T>> part(std::size_t from, std::size_t size) const {
    const std::span all(xs_);
    return from < all.size() ? all.subspan(from, std::min(size, all.size() - from)) : all.first(0);
  }

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
  const bool many = xs.size() > detail::few_elements;
  for (std::size_t i = 0; i < xs.size(); ++i) {
    if (many && i + detail::leaf_size < xs.size()) fetch(xs[i + detail::leaf_size]);
    values.push_back(force(xs[i]));
  }
  return values;
}

namespace detail {

template <class T>
std::vector<T> gather(const std::vector<Lazy<T>>& group) {
  for (const auto& x : group) fetch(x);
  spark_backwards(std::span<const Lazy<T>>(group));
  return force_all(group);
}

/// Evaluates them in parallel and shows each value to `use`, in order. The values of many come home
/// by groups, not one by one.
template <class T, class Use>
void use_in_order(const std::vector<Lazy<T>>& parts, Use use) {
  if (parts.size() <= few_elements) {
    spark_all(std::span(parts));
    for (const auto& part : parts) use(force(part));
    return;
  }
  std::vector<Lazy<std::vector<T>>> groups;
  for (auto left = std::span(parts); !left.empty();) {
    const auto group = left.first(std::min(leaf_size, left.size()));
    groups.push_back(lazy<&gather<T>>(std::vector<Lazy<T>>(group.begin(), group.end())));
    left = left.subspan(group.size());
  }
  spark_all(std::span<const Lazy<std::vector<T>>>(groups));
  for (const auto& group : groups)
    for (const auto& value : force(group)) use(value);
}

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
    parts.push_back(lazy<&detail::map_chunk<F, T>>(std::move(part)));
  }
  std::vector<R> values;
  detail::reserve_for(values, xs);
  detail::use_in_order(parts, [&values](const std::vector<R>& part) {
    values.insert(values.end(), part.begin(), part.end());
  });
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
  R sum = unit;
  detail::use_in_order(parts, [&sum](const R& part) { sum = Reduce(std::move(sum), part); });
  return sum;
}

}  // namespace trawl
