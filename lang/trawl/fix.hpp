// Circular structures: a thunk that is told itself.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include <trawl/lazy.hpp>

namespace trawl {
namespace detail {

template <class Parameters>
struct self_of {
  using type = void;
};
template <class Self, class... P>
struct self_of<Types<Self, P...>> {
  using type = std::decay_t<Self>;
};

template <class Call, class R, class... A>
struct MakeFixed {
  template <class... G>
  static Lazy<R> make(G&&... given) {
    using Thunk = heap::Thunk<Call, R, A...>;
    heap::Node* node = Thunk::make(as_stored<A>(std::forward<G>(given))...);
    Thunk::template argument<0>(node) = Lazy<R>::refer_to(node);
    return Lazy<R>::refer_to(node);
  }
};

/// Is the first parameter, `Self`, a Lazy of the result? (Other refusals say what they are about.)
template <class Call, class Self, class... A>
consteval bool takes_itself() {
  if constexpr (heap::NodeReference<Self>) {
    using S = suspension<Call, Self, A...>;
    if constexpr (S::ok) return std::is_same_v<Self, Lazy<typename S::Result>>;
    return true;
  }
  return false;
}

template <class Call, class Self, class... A>
auto make_fixed(A&&... arguments) {
  constexpr bool itself = takes_itself<Call, Self, A...>();
  static_assert(itself,
                "trawl: the first parameter of a function for fix is a Lazy of its result.");
  if constexpr (itself) {
    using S = suspension<Call, Self, A...>;
    if constexpr (S::ok)
      return S::template Apply<MakeFixed>::make(Self(), std::forward<A>(arguments)...);
    else
      return RefusedLazy();
  } else {
    return RefusedLazy();
  }
}

}  // namespace detail

/// Suspends `F(self, arguments...)`, where `self` is this very thunk: for a result that refers to
/// itself (GpH's `fix`). F takes it as its first parameter, a Lazy of its own result, and may put
/// it anywhere; it must not force it, as that would wait for itself.
template <auto F, class... A>
auto fix(A&&... arguments) {
  using Call = detail::call_of<F>;
  using Self = typename detail::self_of<typename detail::parameters<Call>::type>::type;
  return detail::make_fixed<Call, Self>(std::forward<A>(arguments)...);
}

namespace detail {

/// A function that fix could have been meant for.
template <class F>
concept TakesItself =
    heap::NodeReference<typename self_of<typename parameters<std::decay_t<F>>::type>::type>;

}  // namespace detail

/// Refused, with what to write instead.
template <detail::TakesItself F, class... A>
detail::RefusedLazy fix(F&&, A&&...) {
  static_assert(
      std::is_void_v<F>,
      "trawl: fix takes its function as a template argument: fix<f>(arguments...), where f "
      "may be a lambda without captures.");
  return {};
}

}  // namespace trawl
