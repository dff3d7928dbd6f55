// Where sorted shards are cut, by samples of all of them (Shi and Schaeffer's regular sampling,
// with weights): pure arithmetic.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

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
  static bool before(const Ranked& a, const Ranked& b) {
    return By::template less<T>(a.key(), b.key());
  }

 private:
  static constexpr bool beside = std::is_arithmetic_v<KeyOf<By, T>>;
  struct Nothing {};

  const T* x_;
  [[no_unique_address]] std::conditional_t<beside, KeyOf<By, T>, Nothing> key_{};
};

/// Stably.
template <class By, class T>
void put_in_order(std::vector<Ranked<By, T>>& ranks) {
  if constexpr (By::template numbers<T>()) {
    if (ranks.size() >= few) {
      auto room = ranks;
      return sort_by_bits(std::span(ranks), std::span(room),
                          [](const Ranked<By, T>& x) { return bits_of(x.key()); });
    }
  }
  std::stable_sort(ranks.begin(), ranks.end(), &Ranked<By, T>::before);
}

/// Sorted, stably.
template <class By, class T>
std::vector<Ranked<By, T>> ranked(const std::vector<T>& elements) {
  std::vector<Ranked<By, T>> ranks;
  ranks.reserve(elements.size());
  for (const auto& x : elements) ranks.emplace_back(x);
  if (!std::is_sorted(ranks.begin(), ranks.end(), &Ranked<By, T>::before)) put_in_order(ranks);
  return ranks;
}

/// Equal keys are told apart by where they were: so many of them are cut as evenly as others.
template <class K>
struct Sample {
  K key;
  std::uint64_t shard = 0;
  std::uint64_t index = 0;
  double weight = 0;  // of the elements up to it, since the sample before
};

/// How many of each shard.
inline std::size_t samples_of(std::size_t shards) {
  return std::clamp<std::size_t>(shards, 16, 256);
}

/// Some of a shard, between which its elements weigh the same.
template <class Weigh, class By, class T>
auto regular_samples(const std::vector<Ranked<By, T>>& ranks, std::size_t shard,
                     std::size_t samples) {
  std::vector<Sample<KeyOf<By, T>>> some;
  double sum = 0;
  for (const auto& rank : ranks) sum += Weigh()(rank.element());
  double weight = 0;
  double seen = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const auto own = Weigh()(ranks[i].element());
    weight += own;
    seen += own;
    const auto due = sum * static_cast<double>(some.size() + 1);
    if (seen * static_cast<double>(samples) < due && i + 1 != ranks.size()) continue;
    some.push_back({ranks[i].key(), shard, i, weight});
    weight = 0;
  }
  return some;
}

/// The last element of each of `shards` new shards but the last, as a sample; `all` are those of
/// one old shard after the other.
template <class By, class T, class K>
std::vector<Sample<K>> splitters(std::vector<Sample<K>> all, std::size_t shards) {
  // Of equal keys those of the first shard are first already.
  std::stable_sort(all.begin(), all.end(), [](const Sample<K>& a, const Sample<K>& b) {
    return By::template less<T>(a.key, b.key);
  });
  double sum = 0;
  for (const auto& sample : all) sum += sample.weight;
  std::vector<Sample<K>> cuts;
  double seen = 0;
  for (const auto& sample : all) {
    seen += sample.weight;
    while (cuts.size() + 1 < shards &&
           seen * static_cast<double>(shards) >= sum * static_cast<double>(cuts.size() + 1))
      cuts.push_back(sample);
  }
  return cuts;
}

/// Where in a sorted old shard each new one ends.
template <class By, class T, class K>
std::vector<std::uint64_t> cut_ends(const std::vector<Ranked<By, T>>& ranks, std::size_t shard,
                                    const std::vector<Sample<K>>& cuts, std::size_t shards) {
  const auto less = [](const Ranked<By, T>& x, const K& key) {
    return By::template less<T>(x.key(), key);
  };
  const auto more = [](const K& key, const Ranked<By, T>& x) {
    return By::template less<T>(key, x.key());
  };
  std::vector<std::uint64_t> ends;
  ends.reserve(shards);
  auto from = ranks.begin();  // cuts ascend
  for (const auto& last : cuts) {
    std::uint64_t end = ranks.size();
    if (!ranks.empty() && !less(ranks.back(), last.key)) {
      from = less(*from, last.key) ? std::lower_bound(from, ranks.end(), last.key, less) : from;
      const auto cut = shard > last.shard ? from
                       : shard < last.shard
                           ? std::upper_bound(from, ranks.end(), last.key, more)
                           : ranks.begin() + static_cast<std::ptrdiff_t>(last.index + 1);
      end = static_cast<std::uint64_t>(cut - ranks.begin());
    }
    ends.push_back(end);
  }
  ends.resize(shards, ranks.size());
  return ends;
}

/// Stretches of `ranks`, each sorted, become one: those in front go first where keys are equal.
template <class By, class T>
void merge_stretches(std::vector<Ranked<By, T>>& ranks, const std::vector<std::size_t>& ends) {
  if constexpr (By::template numbers<T>()) {
    if (!std::is_sorted(ranks.begin(), ranks.end(), &Ranked<By, T>::before)) put_in_order(ranks);
    return;
  }
  const auto at = [&ranks](std::size_t i) {
    return ranks.begin() + static_cast<std::ptrdiff_t>(i);
  };
  for (std::size_t step = 1; step + 1 < ends.size(); step *= 2)
    for (std::size_t i = 0; i + step + 1 < ends.size(); i += 2 * step) {
      const auto middle = ends[i + step];
      const auto end = ends[std::min(i + 2 * step, ends.size() - 1)];
      if (middle == ends[i] || middle == end) continue;
      if (!Ranked<By, T>::before(ranks[middle], ranks[middle - 1])) continue;
      std::inplace_merge(at(ends[i]), at(middle), at(end), &Ranked<By, T>::before);
    }
}

}  // namespace trawl::detail
