// A function of each element of a container, in parallel.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
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

/// Of an element of a range.
template <auto F, class Xs>
using ThunkOf = decltype(lazy<F>(std::declval<const std::ranges::range_value_t<Xs>&>()));

/// Is there a result for each element?
template <auto F, class T>
consteval bool maps() {
  constexpr bool fits = std::is_invocable_v<decltype(F), const T&>;
  static_assert(fits,
                "trawl: the function can't be called with the elements of this range. (Where they "
                "are Lazy, lazy_map and spawn_all force them for it.)");
  if constexpr (fits) {
    constexpr bool gives = !std::is_void_v<std::invoke_result_t<decltype(F), const T&>>;
    static_assert(gives,
                  "trawl: par_map needs a result for each element; a function that returns nothing "
                  "does nothing here.");
    return gives;
  }
  return false;
}

}  // namespace detail

/// A thunk `F(x)` for each x of a container or another range.
template <auto F, std::ranges::input_range Xs>
auto lazy_map(Xs&& xs) {
  std::vector<detail::ThunkOf<F, Xs>> thunks;
  detail::reserve_for(thunks, xs);
  for (const auto& x : xs) thunks.push_back(lazy<F>(x));
  return thunks;
}

/// The values of a list of thunks.
template <class T>
std::vector<T> force_all(const std::vector<Lazy<T>>& xs) {
  std::vector<T> values;
  if constexpr (detail::may_be_copied<T>()) {
    values.reserve(xs.size());
    const bool many = xs.size() > detail::few_elements;
    for (std::size_t i = 0; i < xs.size(); ++i) {
      if (many && i + detail::leaf_size < xs.size()) fetch(xs[i + detail::leaf_size]);
      values.push_back(force(xs[i]));
    }
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

/// Calls of which nobody outside has a Lazy. Where each is a spark of its own, its value is moved
/// out of it; where there are so many that trees of thunks refer to them, it is copied.
template <class R>
class OwnCalls {
 public:
  /// There will be so many.
  explicit OwnCalls(std::size_t count)
      : moved_(!heap::CanBeCopied<R> || (!std::is_trivially_destructible_v<R> &&
                                         count <= few_elements && fit_one_by_one(count))) {}

  template <auto F, class... A>
  void suspend(A&&... arguments) {
    if constexpr (heap::CanBeCopied<R>) {
      if (!moved_) return calls_.push_back(lazy<F>(std::forward<A>(arguments)...));
    }
    calls_.push_back(detail::suspend<call_of<F>, MakeOwn>(std::forward<A>(arguments)...));
  }

  void spark() const {
    if (moved_) {
      for (const auto& call : calls_) par(call);
    } else {
      spark_all(std::span(calls_));
    }
  }

  /// After `spark`, once.
  std::vector<R> values() {
    if constexpr (heap::CanBeCopied<R>) {
      if (!moved_) return force_all(calls_);
    }
    std::vector<R> values;
    values.reserve(calls_.size());
    for (const auto& call : calls_) values.push_back(take<R>(call.node()));
    return values;
  }

  /// Instead of both: shows each value to `use`, in order.
  template <class Use>
  void use_each(Use use) {
    if constexpr (heap::CanBeCopied<R>) {
      if (!moved_) return use_in_order(calls_, use);
    }
    spark();
    for (const auto& call : calls_) use(take<R>(call.node()));
  }

 private:
  std::vector<Lazy<R>> calls_;
  bool moved_;
};

template <class Xs>
std::size_t count_of(const Xs& xs, std::size_t chunk) {
  if constexpr (std::ranges::forward_range<const Xs>)
    return static_cast<std::size_t>(std::ranges::distance(xs)) / std::max<std::size_t>(chunk, 1);
  else
    return std::numeric_limits<std::size_t>::max();
}

template <auto F, class T>
auto map_chunk(const std::vector<T>& xs) {
  std::vector<std::decay_t<decltype(F(xs.front()))>> values;
  values.reserve(xs.size());
  for (const auto& x : xs) values.push_back(F(x));
  return values;
}

template <class T>
void append(std::vector<T>& all, const std::vector<T>& part) {
  all.insert(all.end(), part.begin(), part.end());
}
template <class T>
void append(std::vector<T>& all, std::vector<T>&& part) {
  for (auto&& value : part) all.push_back(std::move(value));
}

}  // namespace detail

/// What `spawn_all` returns: calls under way, to be synced once, where they were spawned.
template <class R>
class SpawnedAll {
 public:
  /// Whoever has nothing to do may make these calls.
  explicit SpawnedAll(detail::OwnCalls<R> calls) : calls_(std::move(calls)) { calls_->spark(); }
  SpawnedAll(const SpawnedAll&) = delete;
  SpawnedAll& operator=(const SpawnedAll&) = delete;

  /// Their results, in order; makes the calls that nobody has begun. Throws what the first of them
  /// threw.
  std::vector<R> sync() {
    if (!calls_) throw Error("sync() was called twice");
    auto calls = *std::exchange(calls_, std::nullopt);
    return calls.values();
  }

 private:
  std::optional<detail::OwnCalls<R>> calls_;
};

/// `auto all = spawn_all<f>(xs); ...; all.sync()`: as `spawn`, a call for each element of a
/// container or another range.
template <auto F, std::ranges::input_range Xs>
[[nodiscard("keep what spawn_all returns, and sync() it")]] auto spawn_all(Xs&& xs) {
  using R = typename detail::ThunkOf<F, Xs>::value_type;
  detail::OwnCalls<R> calls(detail::count_of(xs, 1));
  for (const auto& x : xs) calls.template suspend<F>(x);
  return SpawnedAll<R>(std::move(calls));
}

/// `F` of each element of a container or another range, in parallel, a spark for every `chunk`
/// elements.
template <auto F, std::ranges::input_range Xs>
auto par_map(Xs&& xs, std::size_t chunk = 1) {
  using T = std::ranges::range_value_t<Xs>;
  if constexpr (detail::may_be_copied<T>() && detail::maps<F, T>()) {
    using R = std::decay_t<decltype(F(std::declval<const T&>()))>;
    std::vector<R> values;
    detail::OwnCalls<std::vector<R>> parts(detail::count_of(xs, chunk));
    for (auto at = std::ranges::begin(xs); at != std::ranges::end(xs);) {
      std::vector<T> part;
      do {
        part.push_back(*at);
        ++at;
      } while (part.size() < chunk && at != std::ranges::end(xs));
      parts.template suspend<&detail::map_chunk<F, T>>(std::move(part));
    }
    detail::reserve_for(values, xs);
    parts.use_each(
        [&values](auto&& part) { detail::append(values, std::forward<decltype(part)>(part)); });
    return values;
  } else {
    return std::vector<T>();
  }
}

namespace detail {

template <auto Map, auto Reduce, class I, class R>
R reduce_chunk(I from, I to, R start) {
  R sum = std::move(start);
  for (I i = from; i < to; ++i) sum = Reduce(std::move(sum), Map(i));
  return sum;
}

template <auto Map, auto Reduce, class I, class R>
consteval bool reduces_indices() {
  constexpr bool fits = [] {
    if constexpr (std::integral<I> && std::is_invocable_v<decltype(Map), I&>)
      return std::is_invocable_r_v<R, decltype(Reduce), R,
                                   std::invoke_result_t<decltype(Map), I&>> &&
             std::is_invocable_r_v<R, decltype(Reduce), R, R>;
    else
      return false;
  }();
  static_assert(fits,
                "trawl: par_map_reduce needs a function of an index, and one that combines two "
                "values of the unit's type to one.");
  return fits;
}

}  // namespace detail

/// Map(from), ..., Map(to - 1), reduced from the left in order, beginning with `unit`, which must
/// be neutral; a spark for every `chunk` indices. Reduce must be associative.
template <auto Map, auto Reduce, class I, class R>
R par_map_reduce(I from, std::type_identity_t<I> to, std::type_identity_t<I> chunk, R unit) {
  if constexpr (detail::may_be_copied<R>() && detail::reduces_indices<Map, Reduce, I, R>()) {
    const I step = chunk < 1 ? I{1} : chunk;
    // The range may be longer than I's greatest number.
    using Length = std::make_unsigned_t<I>;
    const auto last = [=](I at) {
      const auto left = static_cast<Length>(static_cast<Length>(to) - static_cast<Length>(at));
      return static_cast<Length>(step) < left ? static_cast<I>(at + step) : to;
    };
    std::size_t count = 0;
    for (I at = from; at < to; at = last(at)) ++count;
    detail::OwnCalls<R> parts(count);
    for (I at = from; at < to; at = last(at))
      parts.template suspend<&detail::reduce_chunk<Map, Reduce, I, R>>(at, last(at), unit);
    R sum = unit;
    parts.use_each(
        [&sum](auto&& part) { sum = Reduce(std::move(sum), std::forward<decltype(part)>(part)); });
    return sum;
  }
  return unit;
}

}  // namespace trawl
