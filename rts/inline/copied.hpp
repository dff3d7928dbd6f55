// A copy of a value for its node: the collector is to look at no numbers in it, however deep they
// lie. Where it did, some would look like references, and keep what nobody needs any more.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "memory.hpp"
#include "traits.hpp"

namespace trawl::heap {
namespace detail {

template <class T, class... Above>
consteval bool copies_by_parts();

template <class T, class... Above>
struct fields_copy_by_parts {
  template <std::size_t... field>
  static consteval bool any(std::index_sequence<field...>) {
    return (copies_by_parts<detail::field_t<field, T>, T, Above...>() || ...);
  }
};

/// Are there arrays of numbers in it that can be given memory of their own kind? In one of those
/// `Above`, of which it is a part, there are none but those that were found there.
template <class T, class... Above>
consteval bool copies_by_parts() {
  if constexpr ((std::is_same_v<T, Above> || ...) || !std::is_default_constructible_v<T> ||
                !std::is_move_assignable_v<T> || NodeReference<T> || PointerFree<T>)
    return false;
  else if constexpr (OwnsPlainArrays<T>)
    return true;
  else if constexpr (is_vector<T>)
    return copies_by_parts<typename T::value_type, T, Above...>();
  else if constexpr (PlainAggregate<T>)
    return fields_copy_by_parts<T, Above...>::any(detail::field_places<T>());
  else
    return false;
}

}  // namespace detail

/// `to` is as it was made by default, in owned storage. A copy takes the place of what it had.
template <class T>
void copy_by_parts(const T& from, T& to) {
  if constexpr (OwnsPlainArrays<T>) {
    const StorageScope scope(Storage::owned_plain);
    to = T(from);
  } else if constexpr (!detail::copies_by_parts<T>()) {
    const StorageScope scope(Storage::owned);
    to = T(from);
  } else if constexpr (is_vector<T>) {
    {
      const StorageScope scope(Storage::owned);
      to.resize(from.size());
    }
    for (std::size_t i = 0; i < from.size(); ++i) copy_by_parts(from[i], to[i]);
  } else {
    [&]<std::size_t... field>(std::index_sequence<field...>) {
      (copy_by_parts(detail::field_of<field>(from), detail::field_of<field>(to)), ...);
    }
    (detail::field_places<T>());
  }
}

}  // namespace trawl::heap
