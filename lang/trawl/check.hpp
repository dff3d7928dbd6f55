// What may be suspended and sent to another PE, checked when the program is compiled. Every refusal
// is one sentence that says what to do instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>

#include <trawl/inline/lifetime.hpp>
#include <trawl/inline/traits.hpp>

namespace trawl {

/// A function as a type: `Function<f>{}(x)` is `f(x)`.
template <auto F>
struct Function {
  template <class... A>
  decltype(auto) operator()(A&&... a) const {
    return F(std::forward<A>(a)...);
  }
};

namespace detail {

template <auto F>
using call_of = std::conditional_t<std::is_class_v<std::remove_cv_t<decltype(F)>>,
                                   std::remove_cv_t<decltype(F)>, Function<F>>;

template <class... P>
struct Types {};

/// The parameter types of a function or of a function object, where there is just one set of them.
template <class F>
struct parameters {
  using type = void;
};
template <class R, class... P>
struct parameters<R (*)(P...)> {
  using type = Types<P...>;
};
template <class R, class... P>
struct parameters<R (*)(P...) noexcept> {
  using type = Types<P...>;
};
template <class R, class C, class... P>
struct parameters<R (C::*)(P...) const> {
  using type = Types<P...>;
};
template <class R, class C, class... P>
struct parameters<R (C::*)(P...) const noexcept> {
  using type = Types<P...>;
};
template <class C>
concept OneCallOperator = requires {
  &C::operator();
};
template <OneCallOperator C>
struct parameters<C> : parameters<decltype(&C::operator())> {};
template <auto F>
struct parameters<Function<F>> : parameters<std::remove_cv_t<decltype(F)>> {};

template <class P>
inline constexpr bool shared_reference = (std::is_lvalue_reference_v<P> &&
                                          !std::is_const_v<std::remove_reference_t<P>>) ||
                                         std::is_rvalue_reference_v<P>;

/// For overloads that only say what is wrong.
template <class T>
concept NoLazy = !heap::NodeReference<T>;

/// Converts to whatever the program expects, so that a refusal is not followed by other errors.
struct Refused {
  template <class T>
  operator T() const;  // NOLINT(google-explicit-constructor)
};

/// How values may be aligned that lie in a node, and others (in a std::vector, say).
inline constexpr std::size_t in_a_node = 16, anywhere = SIZE_MAX;

/// A value as it is stored: as an argument, or as a result.
template <class T, std::size_t most_aligned = in_a_node>
consteval bool value_travels() {
  if constexpr (std::is_pointer_v<T>)
    static_assert(
        !std::is_pointer_v<T>,
        "trawl: a pointer means nothing on another PE; pass or return the value itself, or "
        "a Lazy.");
  else if constexpr (heap::PointsElsewhere<T>)
    static_assert(
        !heap::PointsElsewhere<T>,
        "trawl: a view, an iterator or a smart pointer means nothing on another PE; pass or "
        "return the value it refers to, or a Lazy.");
  else if constexpr (heap::OpaqueAggregate<T>)
    static_assert(
        !heap::OpaqueAggregate<T>,
        "trawl: an aggregate with a C array, a base class or more than 100 fields can't be "
        "packed; use std::array and members, or give it a serialize() member.");
  else if constexpr (std::is_polymorphic_v<T>)
    static_assert(!std::is_polymorphic_v<T>,
                  "trawl: a class with virtual functions can't travel to another PE; use a "
                  "std::variant of the classes that it stands for.");
  else if constexpr (!heap::detail::UserSerialises<T> && !heap::detail::is_ordered_by_type<T>())
    static_assert(heap::detail::is_ordered_by_type<T>(),
                  "trawl: a container's comparator or hash function does not travel with it, so "
                  "it may have no members.");
  else if constexpr (alignof(T) > most_aligned)
    static_assert(alignof(T) <= most_aligned,
                  "trawl: a value that travels may not be aligned to more than 16 bytes.");
  else
    static_assert(
        heap::Serialisable<T>,
        "trawl: a value of this type can't travel to another PE; use standard containers, "
        "aggregates without pointers or const members, or a class with a default constructor, one "
        "that copies or moves, and a serialize() member.");
  if constexpr (alignof(T) <= most_aligned) return heap::Serialisable<T>;
  return false;
}

/// `Returned` may be a reference.
template <class Returned, std::size_t most_aligned = in_a_node>
consteval bool result_travels() {
  using T = std::decay_t<Returned>;
  static_assert(
      !std::is_void_v<T>,
      "trawl: a thunk needs a result; a function that returns nothing does nothing here.");
  if constexpr (!std::is_void_v<T>) {
    if constexpr (value_travels<T, most_aligned>()) {
      constexpr bool by_value = heap::CanBeCopied<T> || !std::is_reference_v<Returned>;
      static_assert(by_value,
                    "trawl: a result that can only be moved is returned by value, not by "
                    "reference.");
      return by_value;
    }
  }
  return false;
}

/// Of values that a function of ours has to copy.
template <class T>
consteval bool may_be_copied() {
  static_assert(heap::CanBeCopied<T>,
                "trawl: values that can only be moved would be copied here; suspend a call for "
                "each, by lazy or spawn, and take each by force or sync.");
  return heap::CanBeCopied<T>;
}

/// What is given as a G, and kept as a P, need not be copied, or can be.
template <class G, class P>
inline constexpr bool given_away =
    !std::is_same_v<std::decay_t<G>, std::decay_t<P>> || std::is_same_v<G, std::decay_t<G>> ||
    heap::CanBeCopied<std::decay_t<G>> || !heap::Serialisable<std::decay_t<G>>;

template <class... G, class... P>
consteval bool all_given_away(Types<G...>, Types<P...>) {
  if constexpr (sizeof...(G) == sizeof...(P)) {
    constexpr bool away = (given_away<G, P> && ...);
    static_assert(away, "trawl: a value that can only be moved is given away: write std::move(x).");
    return away;
  }
  return true;
}

template <class Call>
inline constexpr bool is_std_function = false;
template <class S>
inline constexpr bool is_std_function<std::function<S>> = true;

template <class Call>
inline constexpr bool is_member = false;
template <auto F>
inline constexpr bool is_member<Function<F>> = std::is_member_pointer_v<decltype(F)>;

template <class Call>
consteval bool is_no_member() {
  static_assert(!is_member<Call>,
                "trawl: a member can't be suspended by its pointer; give a lambda that calls it.");
  return !is_member<Call>;
}

template <class Call>
consteval bool callable_travels() {
  static_assert(
      !std::is_pointer_v<Call> && !std::is_function_v<Call>,
      "trawl: a function pointer means nothing on another PE; write lazy<f>(...) instead of "
      "lazy(f, ...), and so for spawn.");
  static_assert(!is_std_function<Call>,
                "trawl: a std::function can't travel to another PE; write lazy<f>(...) or a lambda "
                "without captures.");
  static_assert(!std::is_member_pointer_v<Call>,
                "trawl: a member can't be suspended by its pointer; give a lambda that calls it.");
  constexpr bool is_function = std::is_pointer_v<Call> || std::is_function_v<Call> ||
                               std::is_member_pointer_v<Call> || is_std_function<Call>;
  constexpr bool is_result =
      !is_function && !(std::is_class_v<Call> && std::is_empty_v<Call>)&&!OneCallOperator<Call> &&
      heap::Serialisable<Call>;
  static_assert(
      !is_result,
      "trawl: this is what a call has given, not a function; write spawn<f>(3) instead of "
      "spawn(f(3)), and so for lazy.");
  if constexpr (!is_function && !is_result)
    static_assert(std::is_empty_v<Call> && std::is_default_constructible_v<Call>,
                  "trawl: a lambda with captures can't travel to another PE; pass what it captures "
                  "as arguments.");
  return std::is_empty_v<Call> && std::is_default_constructible_v<Call> && is_no_member<Call>();
}

/// How a call is suspended: its argument types as stored, and its result type.
template <class Call, bool Ok, class Given, class Parameters>
struct Suspension {
  static constexpr bool ok = false;
};

template <class Call, class... A>
consteval bool call_fits() {
  static_assert(
      std::is_invocable_v<Call, const A&...>,
      "trawl: the function can't be called with these arguments. (Default arguments do not "
      "count.)");
  return std::is_invocable_v<Call, const A&...>;
}

template <class Call, bool Fits, class... A>
struct Suspended {
  static constexpr bool ok = false;
};
template <class Call, class... A>
struct Suspended<Call, true, A...> {
  using Returned = std::invoke_result_t<Call, const A&...>;
  using Result = std::decay_t<Returned>;
  static constexpr bool ok = result_travels<Returned>();
  template <template <class, class, class...> class Into>
  using Apply = Into<Call, Result, A...>;
};

// Parameters unknown (a generic lambda): the arguments as they are given.
template <class Call, class... G>
struct Suspension<Call, true, Types<G...>, void>
    : Suspended<Call,
                (value_travels<std::decay_t<G>>() && ...) &&
                    all_given_away(Types<G...>(), Types<G...>()) &&
                    call_fits<Call, std::decay_t<G>...>(),
                std::decay_t<G>...> {};

// Otherwise arguments are converted to what the function wants, before they are stored.
template <class... P>
consteval bool parameters_travel() {
  static_assert(!(shared_reference<P> || ...),
                "trawl: a parameter that refers to something its caller can change can't be shared "
                "between PEs; take it by value or by const reference, and return what is new.");
  if constexpr (!(shared_reference<P> || ...)) {
    if constexpr ((value_travels<std::decay_t<P>>() && ...)) {
      constexpr bool kept = ((std::is_reference_v<P> || heap::CanBeCopied<P>)&&...);
      static_assert(kept,
                    "trawl: a parameter that can only be moved is taken by const reference, as its "
                    "thunk may be run twice.");
      return kept;
    }
  }
  return false;
}

/// A Lazy is given where the function takes its value, which may be a Lazy: the thunk keeps the
/// first, and forces it.
template <class G, class P>
inline constexpr bool lifted = false;
template <class G, class P>
requires(heap::NodeReference<std::decay_t<G>>) inline constexpr bool lifted<G, P> =
    std::is_same_v<typename std::decay_t<G>::value_type, std::decay_t<P>> ||
    (!heap::NodeReference<std::decay_t<P>> &&
     std::is_convertible_v<const typename std::decay_t<G>::value_type&, std::decay_t<P>>);

template <class... G, class... P>
consteval bool convert(Types<G...>, Types<P...>) {
  if constexpr (sizeof...(G) == sizeof...(P))
    return ((std::is_convertible_v<G, std::decay_t<P>> || lifted<G, P> || !given_away<G, P>)&&...);
  else
    return false;
}

template <class Given, class... P>
consteval bool arguments_fit() {
  constexpr bool fit = convert(Given(), Types<P...>());
  static_assert(
      fit,
      "trawl: the function can't be called with these arguments. (Default arguments do not "
      "count.)");
  return fit && all_given_away(Given(), Types<P...>());
}

template <class P, class T>
decltype(auto) plain(const T& stored) {
  if constexpr (!lifted<T, P>)
    return (stored);
  else if constexpr (std::is_same_v<typename T::value_type, P>)
    return force(stored);
  else
    return static_cast<P>(force(stored));
}

/// Call, of what its arguments hold.
template <class Call, class... P>
struct Lifted {
  template <class... T>
  decltype(auto) operator()(const T&... stored) const {
    return Call{}(plain<P>(stored)...);
  }
};

template <class Call, bool Fits, class Given, class Parameters>
struct Kept : Suspended<Call, false> {};
template <class Call, class... G, class... P>
struct Kept<Call, true, Types<G...>, Types<P...>>
    : Suspended<std::conditional_t<(lifted<G, P> || ...), Lifted<Call, std::decay_t<P>...>, Call>,
                true, std::decay_t<std::conditional_t<lifted<G, P>, G, P>>...> {};

template <class Call, class... G, class... P>
struct Suspension<Call, true, Types<G...>, Types<P...>>
    : Kept<Call, parameters_travel<P...>() && arguments_fit<Types<G...>, P...>(), Types<G...>,
           Types<P...>> {};

/// The function can be called, even if the call is refused.
template <class S>
concept ResultKnown = std::is_object_v<typename S::Result>;

template <class Call, class... Given>
using suspension =
    Suspension<Call, callable_travels<Call>(), Types<Given...>, typename parameters<Call>::type>;

}  // namespace detail
}  // namespace trawl
