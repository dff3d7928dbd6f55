// What each place needs of all others, and no more of it: the exchange of locally essential data
// (Warren and Salmon 1993; Alt, Mueller and Gorlatch, section 3.2).
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <trawl/dist/map.hpp>

namespace trawl {

/// The shards of one place, which follow each other.
template <class T>
using Portion = std::vector<std::span<const T>>;

namespace detail {

template <class T>
struct PortionShards {
  std::vector<Lazy<Shard<T>>> shards;
};

template <class T>
Portion<T> portion_of(const PortionShards<T>& shards) {
  Portion<T> portion;
  for (const auto& shard : shards.shards) portion.emplace_back(force(force(shard).elements));
  return portion;
}

/// Where in a stretch something failed.
template <auto F, class Call>
decltype(auto) told_of_portion(Call call) {
  try {
    return call();
  } catch (...) {
    throw_from("essential<" + std::string(function_name<F>()) + ">");
  }
}

template <auto Describe, class D, class T, class Hint>
D described(const Lazy<PortionShards<T>>& own, const Hint& hint) {
  return told_of_portion<Describe>([&]() -> D { return Describe(portion_of(force(own)), hint); });
}

/// What one place has for another.
template <class S>
struct Selected {
  Lazy<S> value;  // kept
};

template <auto Select, class S, class T, class D, class... Stored>
Selected<S> selected(const Lazy<PortionShards<T>>& own, const Lazy<D>& other,
                     const Stored&... stored) {
  const auto& description = force(other);
  return {told_of_portion<Select>([&] {
    return [&](const auto&... opened) {
      return keep(S(Select(portion_of(force(own)), description, opened.all()...)));
    }(open(stored)...);
  })};
}

/// All are asked for before the first is waited for. What this place has for others is made before
/// what it goes on to with its value: they wait for it.
template <auto Assemble, class R, class T, class S, class... Stored>
R assembled(const Lazy<PortionShards<T>>& own, const std::vector<Lazy<Selected<S>>>& others,
            const std::vector<Lazy<Ran>>& for_others, const Stored&... stored) {
  for (const auto& other : others) fetch(other);
  for (const auto& each : for_others) force(each);
  for (const auto& other : others) fetch(force(other).value);
  std::vector<Lazy<S>> values;
  for (const auto& other : others) {
    values.push_back(force(other).value);
    force(values.back());
  }
  return told_of_portion<Assemble>([&] {
    return [&](const auto&... opened) -> R {
      return Assemble(portion_of(force(own)), values, opened.all()...);
    }(open(stored)...);
  });
}

/// What describe, select and assemble give for data of T.
template <auto Describe, class T, class Hint>
using description_t = std::decay_t<std::invoke_result_t<decltype(Describe), Portion<T>, Hint>>;
template <auto Select, class T, class D, class... Stored>
using selection_t = std::decay_t<
    std::invoke_result_t<decltype(Select), Portion<T>, const D&, shard_argument<Stored>...>>;

template <auto Describe, class T, class Hint>
consteval bool describes() {
  constexpr bool fits = callable<Describe, Portion<T>, const Hint&>;
  static_assert(fits,
                "trawl: the first function of essential describes a Portion<T> of the data: it is "
                "called with that and the hint.");
  if constexpr (fits)
    return result_travels<std::invoke_result_t<decltype(Describe), Portion<T>, const Hint&>>();
  return false;
}

template <auto Select, class T, class D, class... Stored>
consteval bool selects() {
  constexpr bool fits = callable<Select, Portion<T>, const D&, shard_argument<Stored>...>;
  static_assert(fits,
                "trawl: the second function of essential selects of a Portion<T> of the data: it "
                "is called with that, what the first says of another place, and the arguments.");
  if constexpr (fits)
    return result_travels<
        std::invoke_result_t<decltype(Select), Portion<T>, const D&, shard_argument<Stored>...>>();
  return false;
}

template <auto Assemble, class T, class S, class... Stored>
consteval bool assembles() {
  using Selections = const std::vector<Lazy<S>>&;
  constexpr bool fits = callable<Assemble, Portion<T>, Selections, shard_argument<Stored>...>;
  static_assert(fits,
                "trawl: the third function of essential makes a place's value: it is called with "
                "a Portion<T> of the data, a std::vector of Lazy with what others have selected, "
                "and the arguments.");
  if constexpr (fits)
    return result_travels<std::invoke_result_t<decltype(Assemble), Portion<T>, Selections,
                                               shard_argument<Stored>...>>();
  return false;
}

template <auto Describe, auto Select, auto Assemble, class T, class Hint, class... Stored>
consteval bool makes_essential() {
  if constexpr (describes<Describe, T, Hint>()) {
    using D = description_t<Describe, T, const Hint&>;
    if constexpr (selects<Select, T, D, Stored...>())
      return assembles<Assemble, T, selection_t<Select, T, D, Stored...>, Stored...>();
  }
  return false;
}

template <auto Describe, auto Select, auto Assemble, class T, class Hint, class... A>
auto essential_of(const Dist<T>& d, const Hint& hint, const A&... args) {
  using D = description_t<Describe, T, const Hint&>;
  using S = selection_t<Select, T, D, stored_type<A>...>;
  using R =
      std::decay_t<std::invoke_result_t<decltype(Assemble), Portion<T>, const std::vector<Lazy<S>>&,
                                        shard_argument<stored_type<A>>...>>;
  const auto& source = d.parts();
  auto runs = stretches(source.places);
  if (runs.empty()) runs.push_back({0, 0, place_of(sched::pe_here())});
  const auto places = runs.size();
  std::vector<Lazy<PortionShards<T>>> portions;
  std::vector<Lazy<D>> descriptions;
  for (const auto& run : runs) {
    const auto own = std::span(source.shards).subspan(run.begin, run.end - run.begin);
    portions.emplace_back(PortionShards<T>{{own.begin(), own.end()}});
    descriptions.push_back(lazy_placed<&described<Describe, D, T, Hint>>(portions.back(), hint));
  }
  // One alone has nobody to tell: a worker alone would never come to it, and it keeps the data.
  for (auto p = places > 1 ? places : 0; p-- > 0;)
    start(std::vector{descriptions[p]}, std::vector{runs[p].place});
  return [&](const auto&... shared) {
    std::vector<std::vector<Lazy<Selected<S>>>> for_place(places);
    std::vector<std::vector<Lazy<Ran>>> by_place(places);
    for (auto q = places; q-- > 0;) {
      std::vector<Lazy<Selected<S>>> its;
      for (std::size_t step = 1; step < places; ++step) {
        const auto p = (q + step) % places;
        its.push_back(lazy_placed<&selected<Select, S, T, D, stored_type<A>...>>(
            portions[q], descriptions[p], stored_for(shared, 0, runs[q].place)...));
        for_place[p].push_back(its.back());
      }
      if (!its.empty()) by_place[q] = start(its, std::vector<Place>(its.size(), runs[q].place));
    }
    std::vector<std::pair<Place, Lazy<R>>> copies;
    for (std::size_t p = 0; p < places; ++p) {
      // In the order in which the places have their shards.
      auto& others = for_place[p];
      std::reverse(others.begin(), others.end());
      copies.emplace_back(
          runs[p].place,
          lazy_placed<&assembled<Assemble, R, T, S, stored_type<A>...>>(
              portions[p], others, by_place[p], stored_for(shared, 0, runs[p].place)...));
    }
    for (auto p = places; p-- > 0;)
      start(std::vector{copies[p].second}, std::vector{copies[p].first});
    return Everywhere<R>(std::move(copies));
  }(shared_argument(args)...);
}

}  // namespace detail

/// What each place needs of the data on the others. `describe(portion, hint)` says of a place's
/// shards what will be asked for; each place is told so of each other, and sends it
/// `select(portion, description, args...)`, straight; `assemble(portion, selections, args...)`
/// makes of what has come there, a std::vector of Lazy in the places' order, what the value at that
/// place is. All is sent once, before it is needed. An argument of `select` and `assemble` is a
/// plain value or a Lazy; `describe` does not wait for them. What a place computes with its value
/// must not depend on how data are spread over places: that is up to `select`, which has to give
/// all that will be asked for.
template <auto Describe, auto Select, auto Assemble, class T, class Hint, class... A>
auto essential(const Dist<T>& d, const Hint& hint, const A&... args) {
  using namespace detail;
  static_assert(!(is_dist<A> || ...),
                "trawl: essential takes no Dist beside its first: give it what all_gather makes of "
                "that one.");
  if constexpr ((is_dist<A> || ...))
    return Refused();
  else if constexpr (makes_essential<Describe, Select, Assemble, T, Hint, stored_type<A>...>())
    return essential_of<Describe, Select, Assemble>(d, hint, args...);
  else
    return Refused();
}

}  // namespace trawl
