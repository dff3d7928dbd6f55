// Values that stay where they are.
#pragma once

#include <type_traits>
#include <utility>

#include <trawl/lazy.hpp>

namespace trawl {

/// A value that is there already, as `Lazy<T>(value)`, and stays on the PE that it was made on: it
/// is not copied along with what refers to it, nor fetched ahead. Who forces it elsewhere gets a
/// copy, straight from there. For what is large, and seldom needed elsewhere: a result that holds a
/// kept value goes home as a reference.
template <class T>
Lazy<std::decay_t<T>> keep(T&& value) {
  using Value = std::decay_t<T>;
  if constexpr (detail::value_travels<Value>() &&
                detail::all_given_away(detail::Types<T>(), detail::Types<Value>()))
    return Lazy<Value>::refer_to(heap::make_value<Value, heap::Stay::yes>(std::forward<T>(value)));
  return {};
}

}  // namespace trawl
