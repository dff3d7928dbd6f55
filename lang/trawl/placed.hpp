// Thunks that are evaluated where they are placed: what skeletons are made of.
#pragma once

#include <utility>

#include <trawl/inline/places.hpp>
#include <trawl/lazy.hpp>

namespace trawl::detail {

template <class Call, class R, class... A>
struct MakePlaced : MakeLazy<heap::Placed<Call>, R, A...> {};
template <class Call, class R, class... A>
struct MakePlacedStep : MakeLazy<heap::PlacedStep<Call>, R, A...> {};

/// As `lazy`, of a thunk that nobody takes from where it is placed; a step from distributed data to
/// others.
template <auto F, class... A>
auto lazy_placed(A&&... arguments) {
  return suspend<call_of<F>, MakePlacedStep>(std::forward<A>(arguments)...);
}

/// The same of a call by itself: if its value is lost with a PE, nothing makes it again. A loop of
/// these, which has no copies, would keep all that it has gone through.
template <auto F, class... A>
auto lazy_placed_alone(A&&... arguments) {
  return suspend<call_of<F>, MakePlaced>(std::forward<A>(arguments)...);
}

}  // namespace trawl::detail
