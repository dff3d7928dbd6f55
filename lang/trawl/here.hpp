// Loops inside one PE, over memory that its workers share: in a skeleton's function for whole
// shards, say. Nothing travels, so what they are given may refer to what is around it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include <trawl/shared_loop.hpp>
#include <trawl/sort_in_parts.hpp>

namespace trawl {

/// Loops inside one PE; outside of a run, by the calling thread alone. Simulated, they are charged
/// by workers.
namespace here {

/// Calls `f(i)` for each i below n, in no order, by the workers of this PE that have time. f may
/// refer to what is around it, and may force and spark. What the first i that fails throws, it
/// throws.
template <class F>
void for_each(std::size_t n, F f) {
  const auto parts = detail::parts_of(n);
  detail::in_parts(parts, [&](std::size_t part) {
    const auto end = detail::part_begin(n, parts, part + 1);
    for (auto i = detail::part_begin(n, parts, part); i < end; ++i) f(i);
  });
}

/// `unit` and all `f(i)`, combined in order; the same bits for any number of workers. `combine(a,
/// b)` has to be associative.
template <class R, class F, class Combine>
R reduce(std::size_t n, R unit, F f, Combine combine) {
  const auto parts = detail::parts_of(n);
  std::vector<std::optional<R>> sums(parts);
  detail::in_parts(parts, [&](std::size_t part) {
    auto i = detail::part_begin(n, parts, part);
    const auto end = detail::part_begin(n, parts, part + 1);
    R sum = f(i);
    while (++i < end) sum = combine(std::move(sum), f(i));
    sums[part].emplace(std::move(sum));
  });
  for (auto& sum : sums) unit = combine(std::move(unit), *std::move(sum));
  return unit;
}

/// Sorts, stably. Needs as much memory again; numbers in their own order are not compared but
/// sorted by their bits.
template <std::ranges::random_access_range Xs, class Less = std::less<>>
void sort(Xs& xs, Less less = {}) {
  using T = std::ranges::range_value_t<Xs>;
  constexpr bool refers = std::is_same_v<std::ranges::range_reference_t<Xs>, T&>;
  constexpr bool is_const =
      std::is_same_v<std::ranges::range_reference_t<Xs>, const T&> && !std::is_const_v<T>;
  static_assert(!is_const, "trawl: here::sort moves elements about: what it sorts can't be const.");
  static_assert(refers || is_const,
                "trawl: nothing can refer to an element of a std::vector<bool>, or to one that a "
                "view makes: here::sort sorts a vector of char, say.");
  constexpr bool compares = std::is_invocable_r_v<bool, Less&, const T&, const T&>;
  static_assert(compares,
                "trawl: here::sort needs a < of the elements, or a function that says whether one "
                "comes before another.");
  if constexpr (!refers || !compares) {
    return;
  } else if constexpr (std::ranges::contiguous_range<Xs>) {
    const std::span<T> all(xs);
    const detail::OrderBy<Less> order{less};
    const auto parts = std::min<std::size_t>(all.size() / 4096, 64);
    if (parts < 2)
      detail::sort_run(all, order);
    else
      detail::sort_in_parts(all, parts, order);
  } else {
    std::vector<T> sorted(std::make_move_iterator(std::ranges::begin(xs)),
                          std::make_move_iterator(std::ranges::end(xs)));
    sort(sorted, less);
    std::ranges::move(sorted, std::ranges::begin(xs));
  }
}

/// Refused, with what to write instead.
template <std::ranges::input_range Xs, class Less = std::less<>>
void sort(Xs&, Less = {}) {
  static_assert(std::ranges::random_access_range<Xs>,
                "trawl: here::sort sorts what has indices: a std::vector, std::deque or "
                "std::array; a std::list sorts itself, and sets are in order.");
}

}  // namespace here
}  // namespace trawl
