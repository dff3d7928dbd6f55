// What elements weigh where shards are cut, or their load is predicted.
#pragma once

#include <functional>

namespace trawl {

/// A weight that is a member of the element, or a function of it: `by<&Body::work>`.
template <auto F>
struct By {
  /// What x weighs.
  template <class T>
  double operator()(const T& x) const {
    return static_cast<double>(std::invoke(F, x));
  }
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

}  // namespace trawl
