// What becomes of a value in the heap: can it be copied there, and must it be destroyed?
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

#include "traits.hpp"

namespace trawl {

/// To be specialised, as a std::true_type, for a class of the program's own with a `serialize`: all
/// its memory comes from operator new, so a value that dies in the heap needs no destructor.
template <class T>
struct needs_no_destructor : std::false_type {};

}  // namespace trawl

namespace trawl::heap {
namespace detail {

/// Is it from this namespace, or a specialisation of this template?
template <class T>
consteval bool is_from(std::string_view where) {
  constexpr std::string_view whole = __PRETTY_FUNCTION__;
  constexpr std::string_view before = "T = ";
  return whole.substr(whole.find(before) + before.size()).starts_with(where);
}

template <class T, class... Above>
consteval bool can_be_copied();

template <class T, class... Above>
struct parts_can_be_copied : std::true_type {};
template <template <class...> class C, class... A, class... Above>
struct parts_can_be_copied<C<A...>, Above...> {
  static constexpr bool value = (can_be_copied<A, C<A...>, Above...>() && ...);
};
template <class T, std::size_t N, class... Above>
struct parts_can_be_copied<std::array<T, N>, Above...> {
  static constexpr bool value = can_be_copied<T, std::array<T, N>, Above...>();
};

// A standard container says that it can be copied, whatever is in it.
template <class T, class... Above>
consteval bool can_be_copied() {
  if constexpr ((std::is_same_v<T, Above> || ...))
    return true;
  else if constexpr (!std::is_copy_constructible_v<T> || std::is_empty_v<T>)
    return std::is_copy_constructible_v<T>;
  else if constexpr (is_from<T>("std::"))
    return parts_can_be_copied<T, Above...>::value;
  else if constexpr (PlainAggregate<T>)
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return (can_be_copied<detail::field_t<I, T>, T, Above...>() && ...);
    }
  (detail::field_places<T>());
  else return true;
}

template <class T>
concept Allocator = requires(T& allocator) {
  typename T::value_type;
  allocator.allocate(std::size_t{1});
};

template <class T, class... Above>
consteval bool destructor_runs();

template <class T, class... Above>
struct destructor_of_parts_runs : std::true_type {};
template <template <class...> class C, class... A, class... Above>
struct destructor_of_parts_runs<C<A...>, Above...> {
  static constexpr bool value = (destructor_runs<A, C<A...>, Above...>() || ...);
};
template <class T, std::size_t N, class... Above>
struct destructor_of_parts_runs<std::array<T, N>, Above...> {
  static constexpr bool value = destructor_runs<T, std::array<T, N>, Above...>();
};

template <class T, class... Above>
consteval bool destructor_runs() {
  if constexpr ((std::is_same_v<T, Above> || ...))
    return false;
  else if constexpr (Allocator<T>)
    return !is_from<T>("std::allocator<");
  else if constexpr (std::is_trivially_destructible_v<T> || needs_no_destructor<T>::value)
    return false;
  else if constexpr (is_from<T>("std::"))
    return destructor_of_parts_runs<T, Above...>::value;
  else if constexpr (PlainAggregate<T>)
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return (destructor_runs<detail::field_t<I, T>, T, Above...>() || ...);
    }
  (detail::field_places<T>());
  else return true;
}

}  // namespace detail

/// It is no type that can only be moved, nor holds one.
template <class T>
concept CanBeCopied = detail::can_be_copied<T>();

/// Must a value that dies in the heap be destroyed? Not if all its memory is owned storage
/// (memory.hpp), as that of standard containers is, once they have been copied into a node.
template <class T>
inline constexpr bool destructor_runs = detail::destructor_runs<T>() ||
                                        (!CanBeCopied<T> && !std::is_trivially_destructible_v<T>);

}  // namespace trawl::heap
