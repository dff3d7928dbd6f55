// Strategies of containers: one for the elements, applied to each, here or by whoever has time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <ranges>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <trawl/list.hpp>
#include <trawl/spread.hpp>
#include <trawl/strategies.hpp>

namespace trawl {
namespace detail {

template <class Strategy>
consteval void must_travel() {
  static_assert(std::is_empty_v<Strategy>,
                "trawl: a strategy for the elements of a list can't have parameters of its own.");
}

template <class C>
concept Range = !heap::NodeReference<C> && std::ranges::input_range<const C>;
template <class C>
concept HasMapped = requires {
  typename C::mapped_type;
};

/// The elements of a standard container, or the heads of a lazy list; of a map, the values.
template <class C>
struct elements {};
template <class C>
requires(Range<C> && !HasMapped<C>) struct elements<C> {
  using type = std::ranges::range_value_t<const C>;
  template <class Use>
  static void each(const C& xs, Use use) {
    for (const auto& x : xs) use(x);
  }
};
template <class C>
requires(Range<C>&& HasMapped<C>) struct elements<C> {
  using type = typename C::mapped_type;
  template <class Use>
  static void each(const C& xs, Use use) {
    for (const auto& x : xs) use(x.second);
  }
};
template <class T>
struct elements<List<T>> {
  using type = Lazy<T>;
  template <class Use>
  static void each(const List<T>& xs, Use use) {
    if (xs.empty()) return;
    use(xs.head);
    for (Lazy<List<T>> at = xs.tail; !force(at).empty(); at = force(at).tail) use(force(at).head);
  }
};

/// What a strategy of elements may be applied to; or to a Lazy of it, which it forces.
template <class C>
concept Many = requires {
  typename elements<C>::type;
};
template <class C, class Strategy>
concept ManyFor = Many<C> && StrategyOf<Strategy, typename elements<C>::type>;

/// Applies a strategy where it runs; its result takes home what was evaluated there.
template <class Strategy>
struct Applied {
  template <class T>
  T operator()(const T& x) const {
    Strategy{}(x);
    return x;
  }
};
/// The same to each of a chunk.
template <class Strategy>
struct AppliedToEach {
  template <class T>
  std::vector<T> operator()(const std::vector<T>& chunk) const {
    for (const auto& x : chunk) Strategy{}(x);
    return chunk;
  }
};

/// Of a spark that applies a strategy to an element, or to several of which this is the last.
template <class T, class X>
heap::Node* purpose_of(const Lazy<T>& spark, const X& element) {
  if constexpr (heap::NodeReference<X>)
    return purpose_of(spark.node(), element.node());
  else
    return spark.node();
}

/// Is it enough to spark the values themselves?
template <class Strategy, class T>
inline constexpr bool only_evaluates = false;
template <class Strategy, class T>
inline constexpr bool only_evaluates<Strategy, Lazy<T>> = std::is_same_v<Strategy, Rseq> ||
                                                          std::is_same_v<Strategy, Rpar> ||
                                                          (std::is_same_v<Strategy, Rdeepseq> &&
                                                           heap::PointerFree<T>);

template <class Strategy, class T>
void spark_with(std::span<const T> xs) {
  if constexpr (only_evaluates<Strategy, T>) {
    spark_all(xs);
  } else if constexpr (!std::is_same_v<Strategy, R0> && std::is_empty_v<Strategy>) {
    if constexpr (may_be_copied<T>()) {
      std::vector<Lazy<T>> applied;
      std::vector<heap::Node*> purposes;
      applied.reserve(xs.size());
      purposes.reserve(xs.size());
      for (const auto& x : xs) {
        applied.push_back(lazy(Applied<Strategy>(), x));
        purposes.push_back(purpose_of(applied.back(), x));
      }
      spark_all(std::span<const Lazy<T>>(applied), std::span<heap::Node* const>(purposes));
    }
  }
}

template <class C, class Use>
void with_elements(const C& xs, Use use) {
  using T = typename elements<C>::type;
  if constexpr (std::is_same_v<C, std::vector<T>>) {
    use(std::span<const T>(xs));
  } else if constexpr (may_be_copied<T>()) {
    std::vector<T> copies;
    elements<C>::each(xs, [&copies](const T& x) { copies.push_back(x); });
    use(std::span<const T>(copies));
  }
}

}  // namespace detail

/// Applies a strategy to each element, one after the other, here.
template <class Strategy>
struct SeqList {
  [[no_unique_address]] Strategy strategy;  ///< of an element

  /// Applies it.
  template <detail::ManyFor<Strategy> C>
  const C& operator()(const C& xs) const {
    detail::elements<C>::each(xs, strategy);
    return xs;
  }
  /// To what the Lazy holds.
  template <detail::ManyFor<Strategy> C>
  void operator()(const Lazy<C>& xs) const {
    (*this)(force(xs));
  }
};

template <class Strategy>
inline constexpr bool detail::is_strategy<SeqList<Strategy>> = true;

/// For the elements of a container, one after the other, here; of a map, for the values.
template <class Strategy>
SeqList<Strategy> seq_list(Strategy strategy) {
  return {strategy};
}

/// A spark for each element, which applies a strategy to it.
template <class Strategy>
struct ParList {
  /// Makes the sparks.
  template <detail::ManyFor<Strategy> C>
  const C& operator()(const C& xs) const {
    detail::with_elements(xs, [](auto all) { detail::spark_with<Strategy>(all); });
    return xs;
  }
  /// Of what the Lazy holds.
  template <detail::ManyFor<Strategy> C>
  void operator()(const Lazy<C>& xs) const {
    (*this)(force(xs));
  }
};

template <class Strategy>
inline constexpr bool detail::is_strategy<ParList<Strategy>> = true;

/// A spark for each element of a container, which applies the strategy to it.
template <class Strategy>
ParList<Strategy> par_list(Strategy) {
  detail::must_travel<Strategy>();
  return {};
}

/// A spark for some elements in a row, which applies a strategy to each.
template <class Strategy>
struct ParListChunk {
  std::size_t size;  ///< elements a spark

  /// Makes the sparks.
  template <detail::ManyFor<Strategy> C>
  const C& operator()(const C& xs) const {
    using T = typename detail::elements<C>::type;
    if constexpr (std::is_empty_v<Strategy> && detail::may_be_copied<T>())
      detail::with_elements(xs, [this](auto all) { spark_chunks(all); });
    return xs;
  }
  /// Of what the Lazy holds.
  template <detail::ManyFor<Strategy> C>
  void operator()(const Lazy<C>& xs) const {
    (*this)(force(xs));
  }

 private:
  template <class T>
  void spark_chunks(std::span<const T> left) const {
    std::vector<Lazy<std::vector<T>>> chunks;
    std::vector<heap::Node*> purposes;
    while (!left.empty()) {
      const auto chunk = left.first(std::min(std::max<std::size_t>(size, 1), left.size()));
      chunks.push_back(
          lazy(detail::AppliedToEach<Strategy>(), std::vector<T>(chunk.begin(), chunk.end())));
      purposes.push_back(detail::purpose_of(chunks.back(), chunk.back()));
      left = left.subspan(chunk.size());
    }
    detail::spark_all(std::span<const Lazy<std::vector<T>>>(chunks),
                      std::span<heap::Node* const>(purposes));
  }
};

template <class Strategy>
inline constexpr bool detail::is_strategy<ParListChunk<Strategy>> = true;

/// A spark for every `size` elements.
template <class Strategy>
ParListChunk<Strategy> par_list_chunk(std::size_t size, Strategy) {
  detail::must_travel<Strategy>();
  return {size};
}

// ---- of tuples and pairs -----------------------------------------------------------------------

/// A strategy for each part of a tuple or pair, one after the other, here.
template <class... Strategies>
struct SeqTuple {
  [[no_unique_address]] std::tuple<Strategies...> strategies;  ///< in the order of parts

  /// Applies them.
  template <class Tuple>
  requires(std::tuple_size<Tuple>::value == sizeof...(Strategies)) void operator()(
      const Tuple& parts) const {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (std::get<I>(strategies)(std::get<I>(parts)), ...);
    }
    (std::index_sequence_for<Strategies...>());
  }
};

template <class... Strategies>
inline constexpr bool detail::is_strategy<SeqTuple<Strategies...>> = true;

/// A strategy for each part of a tuple, pair or array.
template <class... Strategies>
SeqTuple<Strategies...> seq_tuple(Strategies... strategies) {
  return {{strategies...}};
}

/// A spark for each part of a tuple or pair, which applies that part's strategy.
template <class... Strategies>
struct ParTuple {
  /// Makes the sparks.
  template <class Tuple>
  requires(std::tuple_size<Tuple>::value == sizeof...(Strategies)) void operator()(
      const Tuple& parts) const {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (spark<Strategies>(std::get<I>(parts)), ...);
    }
    (std::index_sequence_for<Strategies...>());
  }

 private:
  template <class Strategy, class T>
  static void spark(const T& part) {
    detail::spark_with<Strategy>(std::span<const T>(&part, 1));
  }
};

template <class... Strategies>
inline constexpr bool detail::is_strategy<ParTuple<Strategies...>> = true;

/// A spark for each part of a tuple, pair or array.
template <class... Strategies>
ParTuple<Strategies...> par_tuple(Strategies...) {
  (detail::must_travel<Strategies>(), ...);
  return {};
}

}  // namespace trawl
