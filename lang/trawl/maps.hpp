// A function of each element of a container, in parallel.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <trawl/lazy.hpp>
#include <trawl/spawn.hpp>
#include <trawl/spread.hpp>

namespace trawl {

namespace detail {

template <class T, class Xs>
void reserve_for(std::vector<T>& all, const Xs& xs) {
  if constexpr (std::ranges::sized_range<const Xs>)
    all.reserve(static_cast<std::size_t>(std::ranges::size(xs)));
}

/// Of an element of a range.
template <auto F, class Xs, class... A>
using ThunkOf = decltype(lazy<F>(std::declval<const std::ranges::range_value_t<Xs>&>(),
                                 std::declval<const A&>()...));

/// Is there a result for each element?
template <auto F, class T>
consteval bool maps() {
  if constexpr (is_no_member<Function<F>>()) {
    constexpr bool fits = std::is_invocable_v<decltype(F), const T&>;
    static_assert(
        fits,
        "trawl: the function can't be called with the elements of this range. (Where they "
        "are Lazy, lazy_map and spawn_all force them for it.)");
    if constexpr (fits) {
      constexpr bool gives = !std::is_void_v<std::invoke_result_t<decltype(F), const T&>>;
      static_assert(
          gives,
          "trawl: par_map needs a result for each element; a function that returns nothing "
          "does nothing here.");
      if constexpr (gives)
        return result_travels<std::invoke_result_t<decltype(F), const T&>, anywhere>();
    }
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

/// Calls of which nobody outside has a Lazy: those of which nobody wants the value go with this.
/// Where each is a spark of its own, its value is moved out of it; where there are so many that
/// trees of thunks refer to them, it is copied.
template <class R>
class OwnCalls {
 public:
  /// There will be so many.
  explicit OwnCalls(std::size_t count)
      : moved_(!heap::CanBeCopied<R> || (!std::is_trivially_destructible_v<R> &&
                                         count <= few_elements && fit_one_by_one(count))) {}
  OwnCalls(OwnCalls&& other) noexcept
      : calls_(std::move(other.calls_)),
        moved_(other.moved_),
        left_(std::exchange(other.left_, false)) {}
  OwnCalls& operator=(OwnCalls&&) = delete;
  ~OwnCalls() {
    if (left_) withdraw(std::span<const Lazy<R>>(calls_));
  }

  template <auto F, class... A>
  void suspend(A&&... arguments) {
    if constexpr (heap::CanBeCopied<R>) {
      if (!moved_) return calls_.push_back(lazy<F>(std::forward<A>(arguments)...));
    }
    calls_.push_back(detail::suspend<call_of<F>, MakeOwn>(std::forward<A>(arguments)...));
  }

  void spark() {
    left_ = true;
    if (moved_) {
      for (const auto& call : calls_) par(call);
    } else {
      spark_all(std::span<const Lazy<R>>(calls_));
    }
  }

  /// After `spark`, once.
  std::vector<R> values() {
    std::vector<R> values;
    if constexpr (heap::CanBeCopied<R>) {
      if (!moved_) values = force_all(calls_);
    }
    if (moved_) {
      values.reserve(calls_.size());
      for (const auto& call : calls_) values.push_back(take<R>(call.node()));
    }
    left_ = false;
    return values;
  }

  /// Instead of both: shows each value to `use`, in order.
  template <class Use>
  void use_each(Use use) {
    spark();
    for (const auto& call : calls_) {
      if constexpr (heap::CanBeCopied<R>) {
        if (!moved_) {
          use(force(call));
          continue;
        }
      }
      use(take<R>(call.node()));
    }
    left_ = false;
  }

 private:
  std::vector<Lazy<R>> calls_;
  bool moved_;
  bool left_ = false;  // they are sparks, and not all values were wanted yet
};

template <class Xs>
std::size_t count_of(const Xs& xs) {
  if constexpr (std::ranges::forward_range<const Xs>)
    return static_cast<std::size_t>(std::ranges::distance(xs));
  else
    return std::numeric_limits<std::size_t>::max();
}

/// So many sparks are made of so many chunks: one for each; or of very many a few, which are halved
/// by who evaluates them. Of a list of as many sparks as chunks, who is far away would take few at
/// a time. (Of 1 to 1,024 parts these took the fewest seconds on simulated grids of four clusters.)
constexpr std::uint64_t sparks_for(std::uint64_t chunks) {
  constexpr std::uint64_t of_many = 64;
  return chunks > few_elements ? of_many : chunks;
}

template <class T>
void append(std::vector<T>& all, const std::vector<T>& part) {
  all.insert(all.end(), part.begin(), part.end());
}
template <class T>
void append(std::vector<T>& all, std::vector<T>&& part) {
  for (auto&& value : part) all.push_back(std::move(value));
}

constexpr std::size_t chunks_of(std::size_t elements, std::size_t chunk) {
  return elements / chunk + (elements % chunk != 0 ? 1 : 0);
}

/// Moves out those from one to another.
template <class T>
std::vector<T> moved_part(std::vector<T>& from, std::size_t begin, std::size_t end) {
  const auto at = [&](std::size_t i) {
    return std::make_move_iterator(from.begin() + static_cast<std::ptrdiff_t>(i));
  };
  return std::vector<T>(at(begin), at(end));  // braces might take them for two elements
}

template <auto F, class T>
auto map_elements(std::vector<T> xs, std::size_t chunk)
    -> std::vector<std::decay_t<decltype(F(xs.front()))>> {
  if (const auto chunks = chunks_of(xs.size(), chunk); chunks > 1) {
    const auto half = chunks / 2 * chunk;
    auto rest = spawn<&map_elements<F, T>>(moved_part(xs, half, xs.size()), chunk);
    auto values = map_elements<F, T>(moved_part(xs, 0, half), chunk);
    std::vector<typename decltype(values)::value_type> more = rest.sync();
    append(values, std::move(more));
    return values;
  }
  std::vector<std::decay_t<decltype(F(xs.front()))>> values;
  values.reserve(xs.size());
  for (const auto& x : xs) values.push_back(F(x));
  return values;
}

/// A function that par_map could have been meant for.
template <class F, class Xs>
concept MeantForEach = std::ranges::input_range<Xs> && !std::ranges::range<F> &&
                       std::is_invocable_v<F, const std::ranges::range_value_t<Xs>&>;

template <class F>
consteval void refuse_function_beside() {
  static_assert(std::is_void_v<F>,
                "trawl: the function is a template argument: par_map<f>(xs), and so for lazy_map, "
                "spawn_all and spawn_some; f may be a lambda without captures.");
}

}  // namespace detail

/// What `spawn_all` returns: calls under way, to be synced once, where they were spawned. Those
/// that never are, and that nobody has begun, are withdrawn.
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
    if (!calls_) throw Error("sync() was called again on what spawn_all returned");
    auto calls = std::move(*calls_);
    calls_.reset();
    return calls.values();
  }

 private:
  std::optional<detail::OwnCalls<R>> calls_;
};

/// `auto all = spawn_all<f>(xs, args...); ...; all.sync()`: as `spawn`, a call `f(x, args...)` for
/// each element x of a container or another range.
template <auto F, std::ranges::input_range Xs, class... A>
[[nodiscard("keep what spawn_all returns, and sync() it")]] auto spawn_all(Xs&& xs,
                                                                           const A&... args) {
  using R = typename detail::ThunkOf<F, Xs, A...>::value_type;
  detail::OwnCalls<R> calls(detail::count_of(xs));
  for (const auto& x : xs) calls.template suspend<F>(x, args...);
  return SpawnedAll<R>(std::move(calls));
}

/// `F` of each element of a container or another range, in parallel: a spark for every `chunk`
/// elements, or, of more than 1,024 chunks, for 64 parts that are halved where they are evaluated,
/// down to a chunk. Throws what F has thrown, of several the first in order.
template <auto F, std::ranges::input_range Xs>
auto par_map(Xs&& xs, std::size_t chunk = 1) {
  using T = std::ranges::range_value_t<Xs>;
  if constexpr (detail::may_be_copied<T>() && detail::maps<F, T>()) {
    using R = std::decay_t<decltype(F(std::declval<const T&>()))>;
    chunk = std::max<std::size_t>(chunk, 1);
    std::vector<T> elements;
    detail::reserve_for(elements, xs);
    for (const auto& x : xs) elements.push_back(x);
    const auto chunks = detail::chunks_of(elements.size(), chunk);
    const auto count = detail::sparks_for(chunks);
    detail::OwnCalls<std::vector<R>> parts(count);
    for (std::size_t i = 0, begin = 0; i < count; ++i) {
      const auto end = std::min(elements.size(), chunks * (i + 1) / count * chunk);
      parts.template suspend<&detail::map_elements<F, T>>(detail::moved_part(elements, begin, end),
                                                          chunk);
      begin = end;
    }
    std::vector<R> values;
    values.reserve(elements.size());
    parts.use_each(
        [&values](auto&& part) { detail::append(values, std::forward<decltype(part)>(part)); });
    return values;
  } else {
    return std::vector<T>();
  }
}

/// Refused, with what to write instead.
template <class F, class Xs>
requires detail::MeantForEach<F, Xs>
void par_map(F&&, Xs&&, std::size_t = 1) {
  detail::refuse_function_beside<F>();
}
/// Refused, with what to write instead.
template <class F, class Xs>
requires detail::MeantForEach<F, Xs>
void lazy_map(F&&, Xs&&) {
  detail::refuse_function_beside<F>();
}
/// Refused, with what to write instead.
template <class F, class Xs>
requires detail::MeantForEach<F, Xs>
void spawn_all(F&&, Xs&&) {
  detail::refuse_function_beside<F>();
}

namespace detail {

/// Whole numbers from one to another, cut after every `step` of them.
template <class I>
struct Indices {
  I from;
  I to;
  I step;

  // It may be longer than I's greatest number.
  std::uint64_t chunks() const {
    using Bits = std::make_unsigned_t<I>;
    const auto length = static_cast<Bits>(static_cast<Bits>(to) - static_cast<Bits>(from));
    return from < to ? (std::uint64_t{length} - 1) / static_cast<std::uint64_t>(step) + 1 : 0;
  }
  /// Of its chunks those from one to another.
  Indices part(std::uint64_t first, std::uint64_t last) const {
    return {at(first), at(last), step};
  }

 private:
  I at(std::uint64_t chunk) const {
    const auto offset = chunk * static_cast<std::uint64_t>(step);
    return chunk < chunks() ? static_cast<I>(static_cast<std::uint64_t>(from) + offset) : to;
  }
};

template <auto Map, auto Reduce, class I, class R>
R reduce_indices(Indices<I> indices, R unit) {
  const auto chunks = indices.chunks();
  if (chunks > 1) {
    auto rest = spawn<&reduce_indices<Map, Reduce, I, R>>(indices.part(chunks / 2, chunks), unit);
    auto sum = reduce_indices<Map, Reduce, I, R>(indices.part(0, chunks / 2), std::move(unit));
    R more = rest.sync();
    return Reduce(std::move(sum), std::move(more));
  }
  R sum = std::move(unit);
  for (I i = indices.from; i < indices.to; ++i) sum = Reduce(std::move(sum), Map(i));
  return sum;
}

template <class T>
inline constexpr bool is_index =
    std::integral<T> && !std::is_same_v<T, bool> && !std::is_same_v<T, char> &&
    !std::is_same_v<T, wchar_t> && !std::is_same_v<T, char8_t> && !std::is_same_v<T, char16_t> &&
    !std::is_same_v<T, char32_t>;

/// In which indices are counted: as the first one, or where the end is of a wider type as wide.
template <class From, class To>
constexpr auto index_between() {
  if constexpr (!is_index<From> || !is_index<To> || sizeof(To) <= sizeof(From))
    return From();
  else if constexpr (std::is_signed_v<From>)
    return std::make_signed_t<To>();
  else
    return To();
}

/// Would a value of the unit's type not hold what the function gives? (`0` for `0L`)
template <class R, class Sum>
inline constexpr bool is_too_narrow =
    std::is_arithmetic_v<R>&& std::is_arithmetic_v<Sum> && !std::is_same_v<Sum, int> &&
    (sizeof(Sum) > sizeof(R) || (std::is_floating_point_v<Sum> && !std::is_floating_point_v<R>));

template <auto Map, auto Reduce, class I, class R>
consteval bool reduces_indices() {
  constexpr bool fits = [] {
    if constexpr (is_index<I> && std::is_invocable_v<decltype(Map), I&>)
      return std::is_invocable_r_v<R, decltype(Reduce), R,
                                   std::invoke_result_t<decltype(Map), I&>> &&
             std::is_invocable_r_v<R, decltype(Reduce), R, R>;
    else
      return false;
  }();
  static_assert(fits,
                "trawl: par_map_reduce needs a function of an index, and one that combines two "
                "values of the unit's type to one.");
  if constexpr (fits) {
    using Sum = std::decay_t<
        std::invoke_result_t<decltype(Reduce), R, std::invoke_result_t<decltype(Map), I&>>>;
    static_assert(
        !is_too_narrow<R, Sum>,
        "trawl: the unit of par_map_reduce has a narrower type than the sums: write it in "
        "theirs, 0L or 0.0.");
  }
  return fits;
}

}  // namespace detail

/// Map(from), ..., Map(to - 1), reduced in order, beginning with `unit`, which must be neutral. The
/// indices are of a type that has room for `from` and for `to`. As in `par_map` a spark is for
/// `chunk` indices or for a part; Reduce must be associative, as those of a part are reduced first.
template <auto Map, auto Reduce, class From, class To, class Chunk, class R>
R par_map_reduce(From from, To to, Chunk chunk, R unit) {
  using I = decltype(detail::index_between<From, To>());
  static_assert(
      detail::is_index<From> && detail::is_index<To> && detail::is_index<Chunk>,
      "trawl: par_map_reduce counts with whole numbers: from, to and the chunk are such.");
  if constexpr (detail::may_be_copied<R>() && detail::reduces_indices<Map, Reduce, I, R>()) {
    const I step = std::cmp_less(chunk, 1) ? I{1}
                   : std::cmp_greater(chunk, std::numeric_limits<I>::max())
                       ? std::numeric_limits<I>::max()
                       : static_cast<I>(chunk);
    const detail::Indices<I> indices{static_cast<I>(from), static_cast<I>(to), step};
    const auto chunks = indices.chunks();
    const auto count = detail::sparks_for(chunks);
    detail::OwnCalls<R> parts(count);
    for (std::uint64_t i = 0; i < count; ++i)
      parts.template suspend<&detail::reduce_indices<Map, Reduce, I, R>>(
          indices.part(chunks * i / count, chunks * (i + 1) / count), unit);
    R sum = unit;
    parts.use_each(
        [&sum](auto&& part) { sum = Reduce(std::move(sum), std::forward<decltype(part)>(part)); });
    return sum;
  }
  return unit;
}

}  // namespace trawl
