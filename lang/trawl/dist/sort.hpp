// Sample sort (Shi and Schaeffer's parallel sorting by regular sampling), with weights: shards are
// cut where these balance (Alt, Mueller and Gorlatch, section 4.2).
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

#include <trawl/dist/deal.hpp>
#include <trawl/dist/weights.hpp>
#include <trawl/sorting.hpp>

namespace trawl {

namespace detail {

template <auto F>
struct SortBy {
  using type = decltype(F);

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
  /// Of two keys.
  template <class T, class K>
  static bool less(const K& a, const K& b) {
    if constexpr (compares<T>())
      return F(a, b);
    else
      return a < b;
  }
  template <class T>
  bool operator()(const T& a, const T& b) const {
    return less<T>(key(a), key(b));
  }
  template <class T>
  requires(Number<std::decay_t<decltype(key(std::declval<const T&>()))>> &&
           (!compares<T>() || std::is_same_v<type, std::less<>>)) static auto bits(const T& x) {
    return bits_of(key(x));
  }
};

/// Equal keys are told apart by where they were: so many of them are cut as evenly as others.
template <class K>
struct Sample {
  K key;
  std::uint64_t shard = 0;
  std::uint64_t index = 0;
  double weight = 0;  // of the elements up to it, since the sample before
};

template <class T, class K>
struct Sorted {
  Lazy<std::vector<T>> elements;  // kept
  std::vector<Sample<K>> samples;
};

template <class By, class T, class K, class Weigh>
Sorted<T, K> sort_shard(std::size_t shard, std::size_t samples, const Lazy<Shard<T>>& source) {
  return in_shard("sort", By::name(), shard, [&] {
    Made<T> made(force(force(source).elements));
    const auto& elements = made.elements();
    sort_run(std::span(made.elements()), By());
    double sum = 0;
    for (const auto& x : elements) sum += Weigh()(x);
    Sorted<T, K> sorted;
    double weight = 0;
    double seen = 0;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const auto own = Weigh()(elements[i]);
      weight += own;
      seen += own;
      const auto due = sum * static_cast<double>(sorted.samples.size() + 1);
      if (seen * static_cast<double>(samples) < due && i + 1 != elements.size()) continue;
      sorted.samples.push_back({By::key(elements[i]), shard, i, weight});
      weight = 0;
    }
    sorted.elements = std::move(made).alone();
    return sorted;
  });
}

/// The last element of each shard but the last, as a sample.
template <class By, class T, class K>
std::vector<Sample<K>> splitters(const std::vector<Lazy<Sorted<T, K>>>& shards) {
  std::vector<Sample<K>> all;
  for (const auto& shard : shards) {
    const auto& some = force(shard).samples;
    all.insert(all.end(), some.begin(), some.end());
  }
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
    while (cuts.size() + 1 < shards.size() &&
           seen * static_cast<double>(shards.size()) >= sum * static_cast<double>(cuts.size() + 1))
      cuts.push_back(sample);
  }
  return cuts;
}

template <class By, class T, class K>
Dealt<T> deal_sorted(std::size_t shard, std::size_t shards, const Lazy<Sorted<T, K>>& sorted,
                     const Lazy<std::vector<Sample<K>>>& cuts,
                     const Lazy<std::vector<std::uint64_t>>& run_ends) {
  return in_shard("sort", By::name(), shard, [&] {
    const auto& elements = force(force(sorted).elements);
    const auto less = [](const T& x, const K& key) {
      return By::template less<T>(By::key(x), key);
    };
    const auto more = [](const K& key, const T& x) {
      return By::template less<T>(key, By::key(x));
    };
    std::vector<std::uint64_t> ends;
    ends.reserve(shards);
    for (const auto& last : force(cuts)) {
      const auto first = std::lower_bound(elements.begin(), elements.end(), last.key, less);
      const auto equal = std::upper_bound(first, elements.end(), last.key, more);
      const auto end = shard < last.shard ? equal
                       : shard > last.shard
                           ? first
                           : elements.begin() + static_cast<std::ptrdiff_t>(last.index + 1);
      ends.push_back(static_cast<std::uint64_t>(end - elements.begin()));
    }
    ends.resize(shards, elements.size());
    return deal(elements, ends, force(run_ends));
  });
}

template <class By, class T>
Shard<T> merge_shard(const Lazy<std::vector<Lazy<Dealt<T>>>>& all, std::size_t run,
                     std::size_t in_run) {
  const auto& dealt = force(all);
  const auto parts = taken(dealt, run, in_run);
  std::size_t count = 0;
  for (const auto& part : parts) count += part.size();
  Made<T> made(count);
  std::vector<std::size_t> ends;
  for (const auto& part : parts) {
    made.add_all(part);
    if (!part.empty()) ends.push_back(made.elements().size());
  }
  std::vector<T> room;
  if constexpr (!HasBits<By, T>) room.resize(count);
  merge_runs(std::span(made.elements()), std::span<const std::size_t>(ends), std::span(room), By());
  return std::move(made).shard();
}

template <class By, class Weigh, class T>
Dist<T> sort_by(const Dist<T>& d) {
  using K = std::decay_t<decltype(By::key(std::declval<const T&>()))>;
  const auto& source = d.parts();
  keep_pace(source);
  const auto count = source.shards.size();
  if (count == 0) return d;
  const auto samples = std::clamp<std::size_t>(count, 16, 256);
  std::vector<Lazy<Sorted<T, K>>> sorted;
  for (std::size_t i = 0; i < count; ++i)
    sorted.push_back(lazy_placed<&sort_shard<By, T, K, Weigh>>(i, samples, source.shards[i]));
  start(sorted, source.places);
  const auto cuts = lazy_placed<&splitters<By, T, K>>(sorted);
  start(std::vector{cuts}, std::span(source.places).first(1));
  // Shards weigh the same from now on, and each place keeps as many.
  const auto runs = stretches(source.places);
  const Lazy<std::vector<std::uint64_t>> run_ends(ends_of(runs));
  std::vector<Lazy<Dealt<T>>> dealt;
  for (std::size_t i = 0; i < count; ++i)
    dealt.push_back(lazy_placed<&deal_sorted<By, T, K>>(i, count, sorted[i], cuts, run_ends));
  start(dealt, source.places);
  return made_from(source, take_all<&merge_shard<By, T>, T>(dealt, runs), source.places);
}

}  // namespace detail

/// Sorted, stably: by `<`, or by a key, which is a member (`sort<&Body::key>(d)`) or what a
/// function of an element gives, or by a function that compares two elements (`sort<less>(d)`). As
/// many shards as before, on each place too, cut where `weigh` balances.
template <auto F = std::less<>{}, class T, class Weigh = ByCount>
Dist<T> sort(const Dist<T>& d, Weigh = {}) {
  constexpr bool fits = std::is_invocable_v<decltype(F), const T&, const T&> ||
                        std::is_invocable_v<decltype(F), const T&>;
  static_assert(fits, "trawl: sort takes a function of an element, or one that compares two.");
  if constexpr (fits) return detail::sort_by<detail::SortBy<F>, Weigh>(d);
}

}  // namespace trawl
