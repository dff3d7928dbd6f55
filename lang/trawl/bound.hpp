// A number that all PEs share, and that only gets better.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <functional>
#include <type_traits>

#include <trawl/inline/bounds.hpp>
#include <trawl/inline/error.hpp>

namespace trawl {
namespace detail {

// In an order in which less is better, whatever the type.
template <class T, class Better>
std::uint64_t rank_of(T value) noexcept {
  constexpr auto sign = std::uint64_t{1} << 63U;
  std::uint64_t rank = 0;
  if constexpr (std::floating_point<T>) {
    rank = std::bit_cast<std::uint64_t>(static_cast<double>(value) + 0.0);  // there is one zero
    rank = (rank & sign) != 0 ? ~rank : rank ^ sign;
  } else if constexpr (std::is_signed_v<T>) {
    rank = static_cast<std::uint64_t>(std::int64_t{value}) ^ sign;
  } else {
    rank = value;
  }
  return std::is_same_v<Better, std::less<>> ? rank : ~rank;
}

template <class T, class Better>
T value_of(std::uint64_t rank) noexcept {
  constexpr auto sign = std::uint64_t{1} << 63U;
  if (!std::is_same_v<Better, std::less<>>) rank = ~rank;
  if constexpr (std::floating_point<T>)
    return static_cast<T>(std::bit_cast<double>((rank & sign) != 0 ? rank ^ sign : ~rank));
  else if constexpr (std::is_signed_v<T>)
    return static_cast<T>(static_cast<std::int64_t>(rank ^ sign));
  else
    return static_cast<T>(rank);
}

}  // namespace detail

/// The best number that anybody has found so far, for branch and bound: whoever knows it cuts off
/// what can't be better. It is a hint, as news travels: who knows less does more work and must come
/// to the same end. A value: copies, on whichever PE, are the same bound. T: a number, no `long
/// double`; Better: `std::less<>` (the default, what is less is better) or `std::greater<>`.
/// Satin's shared objects and GUM programs do this by hand.
template <class T, class Better = std::less<>>
class Bound {
  static_assert(std::is_arithmetic_v<T> && sizeof(T) <= sizeof(std::uint64_t),
                "trawl: a Bound is of a number that takes 8 bytes at most.");
  static_assert(std::is_same_v<Better, std::less<>> || std::is_same_v<Better, std::greater<>>,
                "trawl: what is better is said by std::less<> or std::greater<>.");

 public:
  /// Of nothing, until it is assigned another; to use it throws Error.
  Bound() = default;
  /// Nothing worse counts. Throws Error outside of a run.
  explicit Bound(T at_first)
      : name_(sched::new_bound()), at_first_(detail::rank_of<T, Better>(at_first)) {}

  /// The best that has been heard of here: what any PE has found, some messages ago.
  T value() const {
    return detail::value_of<T, Better>(std::min(at_first_, sched::least_of(name())));
  }
  /// Tells everybody, if it is better than what has been heard of here; and so says the result. Of
  /// what is not a number nobody hears.
  bool improve(T found) const {
    const auto& name = this->name();
    if constexpr (std::is_floating_point_v<T>)
      if (std::isnan(found)) return false;
    const auto rank = detail::rank_of<T, Better>(found);
    return rank < at_first_ && sched::found(name, rank);
  }

 private:
  const sched::SharedName& name() const {
    if (name_.number == 0) throw Error("a Bound that nothing was assigned to was used");
    return name_;
  }

  sched::SharedName name_{};
  std::uint64_t at_first_ = 0;
};

}  // namespace trawl
