// What is put in order for the elements of a shard, and how: small elements themselves, of others
// pointers with keys.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <trawl/check.hpp>
#include <trawl/dist/element_error.hpp>
#include <trawl/sorting.hpp>

namespace trawl::detail {

/// By a function of an element, or one that compares two.
template <auto F>
struct SortBy {
  using type = std::remove_cv_t<decltype(F)>;  // g++ 12 takes it for const

  static constexpr std::string_view name() { return function_name<F>(); }

  template <class T>
  static consteval bool compares() {
    return std::is_invocable_v<type, const T&, const T&>;
  }
  template <class T>
  static decltype(auto) key(const T& x) {
    if constexpr (compares<T>())
      return (x);
    else
      return std::invoke(F, x);
  }
  /// Is the key in the element? Else it has to be computed.
  template <class T>
  static consteval bool contained() {
    return compares<T>() || std::is_member_object_pointer_v<type>;
  }
  /// Are keys numbers, in their usual order?
  template <class T>
  static consteval bool numbers() {
    return Number<std::decay_t<decltype(key(std::declval<const T&>()))>> &&
           (!compares<T>() || std::is_same_v<type, std::less<>>);
  }
  /// Of two keys.
  template <class T, class K>
  static bool less(const K& a, const K& b) {
    if constexpr (numbers<T>())
      return bits_of(a) < bits_of(b);  // of what is no number too
    else if constexpr (compares<T>())
      return F(a, b);
    else
      return a < b;
  }
};

template <class By, class T>
using KeyOf = std::decay_t<decltype(By::key(std::declval<const T&>()))>;

/// An element where it lies, and its key beside it where that is small.
template <class By, class T>
class Ranked {
 public:
  explicit Ranked(const T& x) : x_(&x) {
    if constexpr (beside) key_ = By::key(x);
  }
  const T& element() const { return *x_; }
  decltype(auto) key() const {
    if constexpr (beside)
      return static_cast<const KeyOf<By, T>&>(key_);
    else
      return By::key(*x_);
  }

 private:
  static constexpr bool beside = std::is_arithmetic_v<KeyOf<By, T>>;
  struct Nothing {};

  const T* x_;
  [[no_unique_address]] std::conditional_t<beside, KeyOf<By, T>, Nothing> key_{};
};

/// Is an element, its key in it, as easily moved about as a pointer to it with a key beside?
template <class By, class T>
inline constexpr bool sorts_copies = heap::PointerFree<T>&& std::is_trivially_copyable_v<T> &&
                                     sizeof(T) <= 16 && By::template contained<T>();

/// What is put in order for an element.
template <class By, class T>
using Rank = std::conditional_t<sorts_copies<By, T>, T, Ranked<By, T>>;

template <class By, class T>
const T& element_of(const Rank<By, T>& rank) {
  if constexpr (sorts_copies<By, T>)
    return rank;
  else
    return rank.element();
}

template <class By, class T>
decltype(auto) key_of(const Rank<By, T>& rank) {
  if constexpr (sorts_copies<By, T>)
    return By::key(rank);
  else
    return rank.key();
}

template <class By, class T>
struct Before {
  bool operator()(const Rank<By, T>& a, const Rank<By, T>& b) const {
    return By::template less<T>(key_of<By, T>(a), key_of<By, T>(b));
  }
  auto bits(const Rank<By, T>& x) const requires(By::template numbers<T>()) {
    return bits_of(key_of<By, T>(x));
  }
};

/// Stably.
template <class By, class T>
void put_in_order(std::vector<Rank<By, T>>& ranks) {
  const Before<By, T> before;
  if (std::is_sorted(ranks.begin(), ranks.end(), before)) return;
  if constexpr (By::template numbers<T>() && !sorts_copies<By, T>) {
    if (ranks.size() >= few) {
      auto room = ranks;
      return sort_by_bits(std::span(ranks), std::span(room),
                          [&](const Ranked<By, T>& x) { return before.bits(x); });
    }
  }
  sort_run(std::span(ranks), before);
}

/// Sorted, stably.
template <class By, class T>
std::vector<Rank<By, T>> ranked(const std::vector<T>& elements) {
  auto ranks = [&] {
    if constexpr (sorts_copies<By, T>) {
      const heap::StorageScope scope(heap::Storage::owned_plain);
      return std::vector<T>(elements);
    } else {
      return std::vector<Ranked<By, T>>(elements.begin(), elements.end());
    }
  }();
  put_in_order<By, T>(ranks);
  return ranks;
}

/// Stretches of `ranks`, each sorted, become one: those in front go first where keys are equal.
template <class By, class T>
void merge_stretches(std::vector<Rank<By, T>>& ranks, const std::vector<std::size_t>& ends) {
  if constexpr (By::template numbers<T>()) return put_in_order<By, T>(ranks);
  const Before<By, T> before;
  const auto at = [&ranks](std::size_t i) {
    return ranks.begin() + static_cast<std::ptrdiff_t>(i);
  };
  for (std::size_t step = 1; step + 1 < ends.size(); step *= 2)
    for (std::size_t i = 0; i + step + 1 < ends.size(); i += 2 * step) {
      const auto middle = ends[i + step];
      const auto end = ends[std::min(i + 2 * step, ends.size() - 1)];
      if (middle == ends[i] || middle == end) continue;
      if (!before(ranks[middle], ranks[middle - 1])) continue;
      std::inplace_merge(at(ends[i]), at(middle), at(end), before);
    }
}

template <class K>
concept Sortable = requires(const K& a, const K& b) {
  { a < b } -> std::convertible_to<bool>;
};

/// Do a T, and what `sort<F>` is given, have an order?
template <auto F, class T>
consteval bool sorts() {
  using Call = std::remove_cv_t<decltype(F)>;
  if constexpr (std::is_same_v<Call, std::less<>>) {
    static_assert(Sortable<T>,
                  "trawl: sort needs a < of the elements, or a function, sort<f>(d): of an element "
                  "its key, or one that compares two.");
    return Sortable<T>;
  } else if constexpr (std::is_invocable_v<Call, const T&, const T&>) {
    constexpr bool says =
        std::is_same_v<std::decay_t<std::invoke_result_t<Call, const T&, const T&>>, bool>;
    static_assert(says,
                  "trawl: the function by which sort compares gives a bool: does the first come "
                  "before the second?");
    return says;
  } else if constexpr (std::is_invocable_v<Call, const T&>) {
    using K = std::decay_t<std::invoke_result_t<Call, const T&>>;
    if constexpr (result_travels<std::invoke_result_t<Call, const T&>, anywhere>()) {
      static_assert(Sortable<K>, "trawl: sort needs a < of the keys.");
      return Sortable<K> && may_be_copied<K>();
    }
    return false;
  } else {
    constexpr bool takes_elements = std::is_invocable_v<Call, const T&>;
    static_assert(takes_elements,
                  "trawl: sort takes a function of an element, or one that compares two.");
    return false;
  }
}

}  // namespace trawl::detail
