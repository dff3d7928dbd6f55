// A function of each element of a container, in parallel.
#pragma once

#include <algorithm>
#include <cstddef>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <trawl/lazy.hpp>
#include <trawl/spread.hpp>

namespace trawl {

namespace detail {

template <class T, class Xs>
void reserve_for(std::vector<T>& all, const Xs& xs) {
  if constexpr (std::ranges::sized_range<const Xs>)
    all.reserve(static_cast<std::size_t>(std::ranges::size(xs)));
}

}  // namespace detail

/// A thunk `F(x)` for each x of a container or another range.
template <auto F, std::ranges::input_range Xs>
auto lazy_map(const Xs& xs) {
  std::vector<decltype(lazy<F>(*std::ranges::begin(xs)))> thunks;
  detail::reserve_for(thunks, xs);
  for (const auto& x : xs) thunks.push_back(lazy<F>(x));
  return thunks;
}

/// The values of a list of thunks.
template <class T>
std::vector<T> force_all(const std::vector<Lazy<T>>& xs) {
  std::vector<T> values;
  values.reserve(xs.size());
  const bool many = xs.size() > detail::few_elements;
  for (std::size_t i = 0; i < xs.size(); ++i) {
    if (many && i + detail::leaf_size < xs.size()) fetch(xs[i + detail::leaf_size]);
    values.push_back(force(xs[i]));
  }
  return values;
}

namespace detail {

template <class T>
std::vector<T> gather(const std::vector<Lazy<T>>& group) {
  for (const auto& x : group) fetch(x);
  spark_backwards(std::span<const Lazy<T>>(group));
  return force_all(group);
}

/// Evaluates them in parallel and shows each value to `use`, in order. The values of many come home
/// by groups, not one by one.
template <class T, class Use>
void use_in_order(const std::vector<Lazy<T>>& parts, Use use) {
  if (parts.size() <= few_elements) {
    spark_all(std::span(parts));
    for (const auto& part : parts) use(force(part));
    return;
  }
  std::vector<Lazy<std::vector<T>>> groups;
  for (auto left = std::span(parts); !left.empty();) {
    const auto group = left.first(std::min(leaf_size, left.size()));
    groups.push_back(lazy<&gather<T>>(std::vector<Lazy<T>>(group.begin(), group.end())));
    left = left.subspan(group.size());
  }
  spark_all(std::span<const Lazy<std::vector<T>>>(groups));
  for (const auto& group : groups)
    for (const auto& value : force(group)) use(value);
}

template <auto F, class T>
auto map_chunk(const std::vector<T>& xs) {
  std::vector<std::decay_t<decltype(F(xs.front()))>> values;
  values.reserve(xs.size());
  for (const auto& x : xs) values.push_back(F(x));
  return values;
}

}  // namespace detail

/// What `spawn_all` returns: calls under way, to be synced once, where they were spawned.
template <class R>
class SpawnedAll {
 public:
  /// Whoever has nothing to do may make these calls.
  explicit SpawnedAll(std::vector<Lazy<R>> calls) : calls_(std::move(calls)) {
    detail::spark_all(std::span<const Lazy<R>>(calls_));
  }
  SpawnedAll(const SpawnedAll&) = delete;
  SpawnedAll& operator=(const SpawnedAll&) = delete;

  /// Their results, in order; makes the calls that nobody has begun. Throws what the first of them
  /// threw.
  std::vector<R> sync() {
    if (synced_) throw Error("sync() was called twice");
    synced_ = true;
    return force_all(std::exchange(calls_, {}));
  }

 private:
  std::vector<Lazy<R>> calls_;
  bool synced_ = false;
};

/// `auto all = spawn_all<f>(xs); ...; all.sync()`: as `spawn`, a call for each element of a
/// container or another range.
template <auto F, std::ranges::input_range Xs>
[[nodiscard("keep what spawn_all returns, and sync() it")]] auto spawn_all(const Xs& xs) {
  auto calls = lazy_map<F>(xs);
  return SpawnedAll<typename decltype(calls)::value_type::value_type>(std::move(calls));
}

/// `F` of each element of a container or another range, in parallel, a spark for every `chunk`
/// elements.
template <auto F, std::ranges::input_range Xs>
auto par_map(const Xs& xs, std::size_t chunk = 1) {
  using T = std::ranges::range_value_t<const Xs>;
  using R = std::decay_t<decltype(F(std::declval<const T&>()))>;
  std::vector<Lazy<std::vector<R>>> parts;
  for (auto at = std::ranges::begin(xs); at != std::ranges::end(xs);) {
    std::vector<T> part;
    do {
      part.push_back(*at);
      ++at;
    } while (part.size() < chunk && at != std::ranges::end(xs));
    parts.push_back(lazy<&detail::map_chunk<F, T>>(std::move(part)));
  }
  std::vector<R> values;
  detail::reserve_for(values, xs);
  detail::use_in_order(parts, [&values](const std::vector<R>& part) {
    values.insert(values.end(), part.begin(), part.end());
  });
  return values;
}

namespace detail {

template <auto Map, auto Reduce, class I, class R>
R reduce_chunk(I from, I to, R start) {
  R sum = std::move(start);
  for (I i = from; i < to; ++i) sum = Reduce(std::move(sum), Map(i));
  return sum;
}

}  // namespace detail

/// Map(from), ..., Map(to - 1), reduced from the left in order, beginning with `unit`, which must
/// be neutral; a spark for every `chunk` indices. Reduce must be associative.
template <auto Map, auto Reduce, class I, class R>
R par_map_reduce(I from, std::type_identity_t<I> to, std::type_identity_t<I> chunk, R unit) {
  std::vector<Lazy<R>> parts;
  const I step = chunk < 1 ? I{1} : chunk;
  for (I at = from; at < to; at += std::min<I>(step, to - at))
    parts.push_back(
        lazy<&detail::reduce_chunk<Map, Reduce, I, R>>(at, at + std::min<I>(step, to - at), unit));
  R sum = unit;
  detail::use_in_order(parts, [&sum](const R& part) { sum = Reduce(std::move(sum), part); });
  return sum;
}

}  // namespace trawl
