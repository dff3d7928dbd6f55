// Counting words, and what is like it (Dean and Ghemawat).
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <trawl/dist/deal.hpp>
#include <trawl/sorting.hpp>

namespace trawl {
namespace detail {

template <class K, class V>
bool key_before(const std::pair<K, V>& a, const std::pair<K, V>& b) {
  if constexpr (Number<K>)
    return bits_of(a.first) < bits_of(b.first);  // of what is no number too
  else
    return a.first < b.first;
}

/// What `key_before` takes for one key: to `==` each NaN is another.
struct SameKey {
  template <class K>
  bool operator()(const K& a, const K& b) const {
    if constexpr (Number<K>)
      return bits_of(a) == bits_of(b);
    else
      return a == b;
  }
};

/// Its hash may be the key itself, and keys multiples of the number of shards.
template <class K>
std::size_t shard_of_key(const K& key, std::size_t shards) {
  const auto hash = std::uint64_t{std::hash<K>()(key)} * 0x9e37'79b9'7f4a'7c15U;
  return static_cast<std::size_t>((hash >> 32U) % shards);
}

/// Sorted by key, each key once.
template <auto Combine, class K, class V>
std::vector<std::pair<K, V>> combined(std::vector<std::pair<K, V>> pairs) {
  std::stable_sort(pairs.begin(), pairs.end(), &key_before<K, V>);
  std::vector<std::pair<K, V>> all;
  for (auto& pair : pairs) {
    if (all.empty() || key_before(all.back(), pair))
      all.push_back(std::move(pair));
    else
      all.back().second = Combine(std::as_const(all.back().second), std::as_const(pair.second));
  }
  return all;
}

template <auto F, auto Combine, class K, class V, class T, class... Stored>
Dealt<std::pair<K, V>> deal_pairs(std::size_t shard, std::size_t shards,
                                  const Lazy<Shard<T>>& source,
                                  const Lazy<std::vector<std::uint64_t>>& run_ends,
                                  const Stored&... stored) {
  return in_shard("map_reduce", function_name<F>(), shard, [&] {
    const auto& elements = force(force(source).elements);
    std::unordered_map<K, V, std::hash<K>, SameKey> sums;
    with_opened(
        elements.size(), shard,
        [&](const auto&... opened) {
          each_element<F>("map_reduce", shard, elements.size(), [&](std::size_t i) {
            for (const auto& [key, value] : F(elements[i], opened.at(i)...)) {
              const auto [at, fresh] = sums.try_emplace(key, value);
              if (fresh) continue;
              in_combining<Combine>("map_reduce", shard, i, [&at = at, &value = value] {
                at->second = Combine(std::as_const(at->second), value);
              });
            }
          });
        },
        stored...);
    std::vector<std::vector<std::pair<K, V>>> by_shard(shards);
    for (auto& [key, value] : sums)
      by_shard[shard_of_key(key, shards)].emplace_back(key, std::move(value));
    std::vector<std::pair<K, V>> pairs;
    pairs.reserve(sums.size());
    std::vector<std::uint64_t> ends;
    for (auto& some : by_shard) {
      std::move(some.begin(), some.end(), std::back_inserter(pairs));
      ends.push_back(pairs.size());
    }
    return deal(pairs, ends, force(run_ends));
  });
}

template <auto Combine, class K, class V>
Shard<std::pair<K, V>> reduce_pairs(const Lazy<std::vector<Lazy<Dealt<std::pair<K, V>>>>>& all,
                                    std::size_t run, std::size_t in_run) {
  const auto& dealt = force(all);
  const auto parts = taken(dealt, run, in_run);
  const auto begun = sched::begin_cost();
  std::vector<std::pair<K, V>> pairs;
  for (const auto& part : parts) pairs.insert(pairs.end(), part.begin(), part.end());
  return in_combining<Combine>(
      "map_reduce", [&] { return shard_of(combined<Combine>(std::move(pairs)), begun); });
}

template <class Pairs>
struct pair_in {
  static constexpr bool found = false;
};
template <class K, class V>
struct pair_in<std::vector<std::pair<K, V>>> {
  static constexpr bool found = true;
  using key = K;
  using value = V;
};

template <class K>
concept HasHash = requires(const K& key) {
  { std::hash<K>()(key) } -> std::convertible_to<std::size_t>;
};
template <class K>
concept Ordered = requires(const K& a, const K& b) {
  { a < b } -> std::convertible_to<bool>;
  { a == b } -> std::convertible_to<bool>;
};

template <class K>
consteval bool is_key() {
  static_assert(HasHash<K>,
                "trawl: map_reduce needs a std::hash of its keys: specialise that for their type.");
  static_assert(Ordered<K>, "trawl: map_reduce needs a < and a == of its keys.");
  return HasHash<K> && Ordered<K>;
}

template <class Pairs, auto Combine>
consteval bool reduces_pairs() {
  constexpr bool found = pair_in<Pairs>::found;
  static_assert(found,
                "trawl: the function of map_reduce has to give a std::vector of std::pair, each a "
                "key and a value.");
  if constexpr (found)
    return value_travels<Pairs>() && is_key<typename pair_in<Pairs>::key>() &&
           combines<Combine, typename pair_in<Pairs>::value>();
  return false;
}

template <auto F, auto Combine, class T, class... Stored>
consteval bool maps_and_reduces() {
  if constexpr (takes<F, const T&, element_argument<Stored>...>())
    return reduces_pairs<
        std::decay_t<std::invoke_result_t<decltype(F), const T&, element_argument<Stored>...>>,
        Combine>();
  return false;
}

}  // namespace detail

/// `f(x, args...)` of each element is a `std::vector` of pairs of a key and a value; the values of
/// each key are combined. What it gives has each key once, with its value, in shards by the hash of
/// the key, sorted within a shard. Keys have `<`, `==` and a `std::hash`. `combine(a, b)` has to be
/// associative; values come in the order of the elements. Arguments as of `map`.
template <auto F, auto Combine, class T, class... A>
auto map_reduce(const Dist<T>& d, const A&... args) {
  using namespace detail;
  if constexpr (maps_and_reduces<F, Combine, T, stored_type<A>...>()) {
    using Pairs = std::decay_t<
        std::invoke_result_t<decltype(F), const T&, element_argument<stored_type<A>>...>>;
    using K = typename pair_in<Pairs>::key;
    using V = typename pair_in<Pairs>::value;
    const auto& source = d.parts();
    keep_pace(source);
    const auto count = source.shards.size();
    (must_have_shards(args, count), ...);
    const auto runs = stretches(source.places);
    const Lazy<std::vector<std::uint64_t>> run_ends(ends_of(runs));
    std::vector<Lazy<Dealt<std::pair<K, V>>>> dealt;
    [&](const auto&... shared) {
      for (std::size_t i = 0; i < count; ++i)
        dealt.push_back(lazy_placed<&deal_pairs<F, Combine, K, V, T, stored_type<A>...>>(
            i, count, source.shards[i], run_ends, stored_for(shared, i, source.places[i])...));
    }(shared_argument(args)...);
    start(dealt, source.places);
    return made_from(source, take_all<&reduce_pairs<Combine, K, V>, std::pair<K, V>>(dealt, runs),
                     source.places);
  } else {
    return Refused();
  }
}

}  // namespace trawl
