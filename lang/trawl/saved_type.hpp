// What the types of values in a checkpoint are made of: another run may have changed them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include <trawl/bound.hpp>
#include <trawl/check.hpp>
#include <trawl/shared.hpp>

namespace trawl {

template <class T>
class Everywhere;

namespace detail {

/// FNV-1a.
inline std::uint64_t checksum(std::span<const std::byte> bytes) {
  std::uint64_t sum = 0xcbf29ce484222325U;
  for (const auto byte : bytes) sum = (sum ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3U;
  return sum;
}

/// Means nothing in another run.
template <class T>
inline constexpr bool of_this_run = false;
template <class T, class Better>
inline constexpr bool of_this_run<Bound<T, Better>> = true;
template <class T>
inline constexpr bool of_this_run<Shared<T>> = true;
template <class T>
inline constexpr bool of_this_run<Everywhere<T>> = true;

// ---- the types of a value's elements, alternatives or fields

template <class T>
struct parts_of_type {
  using type = Types<>;
};
template <class T>
requires requires {
  typename T::value_type;
}
struct parts_of_type<T> {
  using type = Types<typename T::value_type>;
};
template <class A, class B>
struct parts_of_type<std::pair<A, B>> {
  using type = Types<A, B>;
};
template <class... A>
struct parts_of_type<std::tuple<A...>> {
  using type = Types<A...>;
};
template <class... A>
struct parts_of_type<std::variant<A...>> {
  using type = Types<A...>;
};
template <heap::PlainAggregate T>
requires(!requires { typename T::value_type; }) struct parts_of_type<T> {
  using type = decltype([]<std::size_t... field>(std::index_sequence<field...>) {
    return Types<std::remove_cv_t<heap::detail::field_t<field, T>>...>();
  }(heap::detail::field_places<T>()));
};

/// As the compiler writes it.
template <class T>
constexpr std::string_view type_name() {
  return __PRETTY_FUNCTION__;
}

/// Of all names and sizes in it. Types may be within themselves: `Above` has been seen.
template <class T, class... Above>
std::uint64_t type_number() {
  auto number = checksum(std::as_bytes(std::span(type_name<T>()))) + sizeof(T);
  if constexpr (!(std::is_same_v<T, Above> || ...))
    [&number]<class... Part>(Types<Part...>) {
      ((number = number * 0x100000001b3U + type_number<Part, T, Above...>()), ...);
    }(typename parts_of_type<T>::type());
  return number;
}

template <class T, class... Above>
consteval bool holds_of_this_run() {
  if constexpr (of_this_run<T> || (std::is_same_v<T, Above> || ...))
    return of_this_run<T>;
  else
    return []<class... Part>(Types<Part...>) {
      return (holds_of_this_run<Part, T, Above...>() || ...);
    }(typename parts_of_type<T>::type());
}

}  // namespace detail
}  // namespace trawl
