// Skeletons that make each shard from one: generate, map, map_shards.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <trawl/check.hpp>
#include <trawl/dist/arguments.hpp>
#include <trawl/dist/element_error.hpp>
#include <trawl/dist/made.hpp>
#include <trawl/dist/shares.hpp>

namespace trawl {
namespace detail {

/// As it is written: pointers to members aren't.
template <auto F, class... A>
constexpr bool callable = requires(A&&... arguments) {
  F(std::forward<A>(arguments)...);
};

/// Is F called with these?
template <auto F, class... A>
consteval bool takes() {
  constexpr bool fits = callable<F, A...>;
  static_assert(fits,
                "trawl: the skeleton's function can't be called with an element and these "
                "arguments.");
  return fits;
}

/// Can an R be an element?
template <class R>
consteval bool is_element() {
  constexpr bool copies = std::is_copy_constructible_v<R>;
  static_assert(copies,
                "trawl: elements of a Dist go from PE to PE as copies; this type has none.");
  return copies;
}

/// Is F called with these, and can what it gives be an element?
template <auto F, class... A>
consteval bool gives_element() {
  if constexpr (takes<F, A...>()) {
    using R = std::invoke_result_t<decltype(F), A...>;
    if constexpr (result_travels<R, anywhere>()) return is_element<std::decay_t<R>>();
  }
  return false;
}

/// Are two values of type R combined to one?
template <auto Combine, class R>
consteval bool combines() {
  constexpr bool fits = [] {
    if constexpr (callable<Combine, const R&, const R&>)
      return std::is_convertible_v<
          decltype(Combine(std::declval<const R&>(), std::declval<const R&>())), R>;
    else
      return false;
  }();
  static_assert(fits,
                "trawl: the function that combines has to take two of the values that are combined "
                "and to give one.");
  return fits;
}

/// Calls `use(opened...)` with what the stored arguments hold, for a shard of `count` elements.
template <class Use, class... Stored>
auto with_opened(std::size_t count, std::size_t shard, Use use, const Stored&... stored) {
  return [&](const auto&... opened) {
    (must_match(opened, count, shard), ...);
    return use(opened...);
  }(open(stored)...);
}

template <auto F, class R, class... Stored>
Shard<R> generate_shard(std::size_t shard, std::uint64_t from, std::uint64_t to,
                        const Stored&... stored) {
  return in_shard("generate", function_name<F>(), shard, [&] {
    const auto count = static_cast<std::size_t>(to - from);
    Made<R> made(count);
    with_opened(
        count, shard,
        [&](const auto&... opened) {
          each_element<F>("generate", shard, count, [&](std::size_t i) {
            made.add(F(static_cast<std::size_t>(from + i), opened.at(i)...));
          });
        },
        stored...);
    return std::move(made).shard();
  });
}

template <auto F, class R, class T, class... Stored>
Shard<R> map_shard(std::size_t shard, const Lazy<Shard<T>>& source, const Stored&... stored) {
  return in_shard("map", function_name<F>(), shard, [&] {
    const auto& elements = force(force(source).elements);
    Made<R> made(elements.size());
    with_opened(
        elements.size(), shard,
        [&](const auto&... opened) {
          each_element<F>("map", shard, elements.size(),
                          [&](std::size_t i) { made.add(F(elements[i], opened.at(i)...)); });
        },
        stored...);
    return std::move(made).shard();
  });
}

template <auto F, class R, class T, class... Stored>
Shard<R> map_whole_shard(std::size_t shard, const Lazy<Shard<T>>& source, const Stored&... stored) {
  const auto& elements = force(force(source).elements);
  return [&](const auto&... opened) {
    const auto begun = sched::begin_cost();
    return by_function("map_shards", function_name<F>(), shard, [&] {
      return shard_of<R>(std::vector<R>(F(elements, opened.all()...)), begun);
    });
  }(open(stored)...);
}

/// Suspends `make(shard, before..., argument of that shard...)` for each.
template <auto Make, class R, class T, class... A>
Dist<R> made_by(const Parts<T>& source, const A&... arguments) {
  keep_pace(source);
  const auto count = source.shards.size();
  (must_have_shards(arguments, count), ...);
  return [&](const auto&... shared) {
    std::vector<Lazy<Shard<R>>> shards;
    shards.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
      shards.push_back(
          lazy_placed<Make>(i, source.shards[i], stored_for(shared, i, source.places[i])...));
    return made_from(source, std::move(shards), source.places);
  }(shared_argument(arguments)...);
}

template <class A>
using stored_type = std::decay_t<decltype(stored_for(shared_argument(std::declval<const A&>()),
                                                     std::size_t{}, Place()))>;

template <class V>
struct element_of_vector {
  static_assert(std::is_same_v<V, void>,
                "trawl: a function for whole shards takes a std::vector of elements and returns "
                "one.");
  using type = char;
};
template <class T>
struct element_of_vector<std::vector<T>> : std::type_identity<T> {};

}  // namespace detail

/// `make(0, args...)`, ..., `make(n - 1, args...)`, each where it will lie: shares as the places'
/// speed x workers. An argument is a plain value, or a Lazy of what `make` takes.
template <auto Make, class... A>
auto generate(std::uint64_t n, const A&... args) {
  using detail::stored_type;
  if constexpr (detail::gives_element<Make, std::size_t,
                                      detail::element_argument<stored_type<A>>...>()) {
    using R = std::decay_t<std::invoke_result_t<decltype(Make), std::size_t,
                                                detail::element_argument<stored_type<A>>...>>;
    detail::refuse_negative("generate", n);
    const auto count = detail::shard_count(n);
    const auto bytes = static_cast<double>(n) * sizeof(R) / static_cast<double>(count);
    detail::Parts<R> parts;
    parts.places = detail::places_for(std::vector<double>(count, bytes));
    (detail::must_have_shards(args, count), ...);
    [&](const auto&... shared) {
      for (std::size_t i = 0; i < count; ++i)
        parts.shards.push_back(
            detail::lazy_placed<&detail::generate_shard<Make, R, stored_type<A>...>>(
                i, detail::shard_begin(n, count, i), detail::shard_begin(n, count, i + 1),
                detail::stored_for(shared, i, parts.places[i])...));
    }(detail::shared_argument(args)...);
    return detail::made_of(std::move(parts));
  } else {
    return detail::Refused();
  }
}

/// `f(x, args...)` of each element, where it lies. An argument is a plain value, a Lazy of what f
/// takes, or a Dist that was made alike: f gets the element that has the same place there.
template <auto F, class T, class... A>
auto map(const Dist<T>& d, const A&... args) {
  using detail::stored_type;
  if constexpr (detail::gives_element<F, const T&, detail::element_argument<stored_type<A>>...>()) {
    using R = std::decay_t<
        std::invoke_result_t<decltype(F), const T&, detail::element_argument<stored_type<A>>...>>;
    return detail::made_by<&detail::map_shard<F, R, T, stored_type<A>...>, R>(d.parts(), args...);
  } else {
    return detail::Refused();
  }
}

/// `f(shard, args...)` of each shard, a `std::vector` of elements that follow each other; it
/// returns a `std::vector`, of any length. Of a Dist among the arguments it gets the shard that has
/// the same place.
template <auto F, class T, class... A>
auto map_shards(const Dist<T>& d, const A&... args) {
  using detail::stored_type;
  using Elements = std::vector<T>;
  if constexpr (detail::takes<F, const Elements&, detail::shard_argument<stored_type<A>>...>()) {
    using R = typename detail::element_of_vector<std::decay_t<std::invoke_result_t<
        decltype(F), const Elements&, detail::shard_argument<stored_type<A>>...>>>::type;
    if constexpr (detail::is_element<R>())
      return detail::made_by<&detail::map_whole_shard<F, R, T, stored_type<A>...>, R>(d.parts(),
                                                                                      args...);
    else
      return detail::Refused();
  } else {
    return detail::Refused();
  }
}

}  // namespace trawl
