// What elements weigh where shards are cut, or their load is predicted.
#pragma once

#include <functional>
#include <string_view>
#include <type_traits>

#include <trawl/dist/element_error.hpp>

namespace trawl {
namespace detail {

/// Of a member of a T, or a function of it.
template <auto F, class T>
concept GivesNumber = std::is_convertible_v < std::invoke_result_t<decltype(F), const T&>,
double > ;

}  // namespace detail

/// A weight that is a member of the element, or a function of it: `by<&Body::work>`.
template <auto F>
struct By {
  /// What x weighs.
  template <class T>
  requires detail::GivesNumber<F, T>
  double operator()(const T& x) const { return static_cast<double>(std::invoke(F, x)); }
};
template <auto F>
inline constexpr By<F> by{};  ///< for `sort` and `rebalance`

/// All elements weigh the same.
struct ByCount {
  /// What x weighs.
  template <class T>
  double operator()(const T&) const {
    return 1;
  }
};
inline constexpr ByCount by_count{};  ///< for `sort` and `rebalance`

/// Shards weigh what making them took.
struct ByCost {};
inline constexpr ByCost by_cost{};  ///< for `rebalance`

namespace detail {

template <class Weigh>
inline constexpr std::string_view weight_name = "a weight";
template <auto F>
inline constexpr std::string_view weight_name<By<F>> = function_name<F>();

/// Only a weight's type goes to where elements are weighed.
template <class Weigh, class T>
consteval bool weighs() {
  constexpr bool is_type = std::is_empty_v<Weigh> && std::is_default_constructible_v<Weigh>;
  static_assert(is_type,
                "trawl: a weight is by_count, or by<f>, where f is a member of an element or a "
                "function of it: neither f itself nor an object with data.");
  if constexpr (is_type) {
    constexpr bool gives = std::is_invocable_r_v<double, Weigh, const T&>;
    static_assert(gives,
                  "trawl: sort and rebalance weigh elements by_count, or by<f>, where f gives a "
                  "number (rebalance also by_cost).");
    return gives;
  }
  return false;
}

/// What compares two elements is no weight.
template <class Weigh, class T>
consteval bool weighs_in_sort() {
  constexpr bool compares = std::is_invocable_v<Weigh&, const T&, const T&>;
  static_assert(!compares,
                "trawl: what sort compares by goes between angle brackets, as in sort<f>(d); in "
                "parentheses there may be a weight, by_count or by<f>.");
  if constexpr (!compares) return weighs<Weigh, T>();
  return false;
}

}  // namespace detail

}  // namespace trawl
