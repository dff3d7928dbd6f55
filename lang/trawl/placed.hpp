// Thunks that are evaluated where they are placed: what skeletons are made of.
#pragma once

#include <utility>

#include <trawl/inline/places.hpp>
#include <trawl/lazy.hpp>

namespace trawl::detail {

template <class Call, class R, class... A>
struct MakePlaced : MakeLazy<heap::Placed<Call>, R, A...> {};

/// As `lazy`, of a thunk that nobody takes from where it is placed.
template <auto F, class... A>
auto lazy_placed(A&&... arguments) {
  return suspend<call_of<F>, MakePlaced>(std::forward<A>(arguments)...);
}

}  // namespace trawl::detail
