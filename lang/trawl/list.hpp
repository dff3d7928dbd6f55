// Lazy lists.
#pragma once

#include <ranges>
#include <utility>
#include <vector>

#include <trawl/lazy.hpp>

namespace trawl {

/// A cell of a list that comes to be as somebody walks along it: `Lazy<List<T>>` is the list. The
/// last cell is empty: it has neither head nor tail.
template <class T>
struct List {
  Lazy<T> head;        ///< refers to nothing in the empty cell
  Lazy<List<T>> tail;  ///< so does this

  /// Is it the end?
  bool empty() const noexcept { return !head; }
};

/// Of elements that are there already.
template <class T>
Lazy<List<T>> list_of(const std::vector<Lazy<T>>& elements) {
  Lazy<List<T>> list{List<T>()};
  for (const auto& x : elements | std::views::reverse) list = Lazy<List<T>>(List<T>{x, list});
  return list;
}

}  // namespace trawl
