// Single calls at certain places, and data that are moved to one.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <trawl/dist/element_error.hpp>
#include <trawl/dist/map.hpp>

namespace trawl {
namespace detail {

template <auto F, class R, class T, class... Stored>
R applied(const Lazy<T>& value, const Stored&... stored) {
  const T& near = force(value);
  return [&near](const auto&... arguments) -> R {
    try {
      return F(near, arguments...);
    } catch (...) {
      throw_from("apply<" + std::string(function_name<F>()) + ">");
    }
  }(open(stored).all()...);
}

template <auto F, class... A>
consteval bool applies() {
  constexpr bool fits = callable<F, A...>;
  static_assert(fits,
                "trawl: apply's function can't be called with the value that is everywhere and "
                "these arguments.");
  if constexpr (fits) return result_travels<std::invoke_result_t<decltype(F), A...>>();
  return false;
}

}  // namespace detail

/// `f(args...)`, begun at once, there; if that PE is lost, here. Its value comes here.
template <auto F, class... A>
auto apply(Place place, A&&... args) {
  const auto call = detail::lazy_placed_alone<F>(std::forward<A>(args)...);
  sched::place(call.node(), detail::pe_of(place));
  return call;
}

/// `f(value, args...)` at each place that has the value, and what it gives stays there: once for
/// all that is computed at that place. An argument is a plain value, or a Lazy or an Everywhere of
/// what f takes.
template <auto F, class T, class... A>
auto apply(const Everywhere<T>& value, const A&... args) {
  using detail::stored_type;
  static_assert(!(detail::is_dist<A> || ...),
                "trawl: apply to an Everywhere takes no Dist beside it: give it what all_gather "
                "makes of that one.");
  if constexpr ((detail::is_dist<A> || ...))
    return detail::Refused();
  else if constexpr (detail::applies<F, const T&, detail::element_argument<stored_type<A>>...>()) {
    using R = std::decay_t<
        std::invoke_result_t<decltype(F), const T&, detail::element_argument<stored_type<A>>...>>;
    std::vector<std::pair<Place, Lazy<R>>> copies;
    [&](const auto&... shared) {
      for (const auto& [place, copy] : value.copies())
        copies.emplace_back(place,
                            detail::lazy_placed_alone<&detail::applied<F, R, T, stored_type<A>...>>(
                                copy, detail::stored_for(shared, 0, place)...));
    }(detail::shared_argument(args)...);
    for (const auto& [place, copy] : copies) detail::start(std::vector{copy}, std::vector{place});
    return Everywhere<R>(std::move(copies));
  } else {
    return detail::Refused();
  }
}

namespace detail {

/// A shard that stays is the same one.
template <class T>
// NOLINTNEXTLINE(performance-unnecessary-value-param): it is moved
Dist<T> moved(const Parts<T>& source, std::vector<Place> places) {
  keep_pace(source);
  Parts<T> parts = source;
  parts.places = std::move(places);
  std::vector<Lazy<Shard<T>>> movers;
  std::vector<Place> to;
  for (std::size_t i = 0; i < parts.shards.size(); ++i) {
    if (parts.places[i] == source.places[i]) continue;
    movers.push_back(parts.shards[i] = copy_of(source.shards[i]));
    to.push_back(parts.places[i]);
  }
  if (!movers.empty()) parts.sources = start(movers, to);
  see_to_copies(parts);
  return Dist<T>(std::move(parts));
}

}  // namespace detail

/// The same data, at a place: what skeletons make of them is made there.
template <class T>
Dist<T> on(Place place, const Dist<T>& d) {
  return detail::moved(d.parts(), std::vector<Place>(d.shards(), place));
}

}  // namespace trawl
