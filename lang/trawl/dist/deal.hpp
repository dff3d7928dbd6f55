// Data that change their owners: each shard is dealt out into a hand for each PE, which lies where
// it is made until that PE fetches it. One message for two PEs and a shard, and none by a third.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <trawl/dist/map.hpp>

namespace trawl::detail {

/// What a shard has for the shards of one stretch.
template <class T>
struct Hand {
  std::vector<T> elements;          // for one shard after the other
  std::vector<std::uint64_t> ends;  // of what each gets
};

/// Of one shard: a hand for each stretch.
template <class T>
struct Dealt {
  std::vector<Lazy<Hand<T>>> hands;  // kept
};

/// The shards at which stretches end.
inline std::vector<std::uint64_t> ends_of(std::span<const Stretch> runs) {
  std::vector<std::uint64_t> ends;
  for (const auto& run : runs) ends.push_back(run.end);
  return ends;
}

/// Of elements in the order of the shards that they are for, shard i gets those up to `ends[i]`.
/// `add(begin, end, hand)` adds some of them to a vector, which has room.
template <class T, class Add>
Dealt<T> deal_by(std::span<const std::uint64_t> ends, const std::vector<std::uint64_t>& run_ends,
                 Add add) {
  Dealt<T> dealt;
  dealt.hands.reserve(run_ends.size());
  std::uint64_t begin = 0;  // of this run's elements
  std::size_t shard = 0;
  for (const auto run_end : run_ends)
    dealt.hands.push_back(made_by_runtime<Hand<T>>([&](Hand<T>& hand) {
      const auto first = begin;
      for (; shard < run_end; ++shard) {
        hand.ends.push_back(ends[shard] - first);
        begin = ends[shard];
      }
      hand.elements.reserve(static_cast<std::size_t>(begin - first));
      add(static_cast<std::size_t>(first), static_cast<std::size_t>(begin), hand.elements);
    }));
  return dealt;
}

/// The same, of elements that lie like that.
template <class T>
Dealt<T> deal(const std::vector<T>& elements, std::span<const std::uint64_t> ends,
              const std::vector<std::uint64_t>& run_ends) {
  return deal_by<T>(ends, run_ends, [&](std::size_t begin, std::size_t end, std::vector<T>& hand) {
    hand.insert(hand.end(), elements.begin() + static_cast<std::ptrdiff_t>(begin),
                elements.begin() + static_cast<std::ptrdiff_t>(end));
  });
}

/// What shard `in_run` of stretch `run` gets, from each shard, in their order. All of it is asked
/// for before the first is waited for. Good as long as somebody holds `all`.
template <class T>
std::vector<std::span<const T>> taken(const std::vector<Lazy<Dealt<T>>>& all, std::size_t run,
                                      std::size_t in_run) {
  for (const auto& dealt : all) fetch(dealt);
  for (const auto& dealt : all) fetch(force(dealt).hands[run]);
  std::vector<std::span<const T>> parts;
  parts.reserve(all.size());
  for (const auto& dealt : all) {
    const Hand<T>& hand = force(force(dealt).hands[run]);
    const auto begin = in_run == 0 ? 0 : hand.ends[in_run - 1];
    parts.push_back(std::span(hand.elements)
                        .subspan(static_cast<std::size_t>(begin),
                                 static_cast<std::size_t>(hand.ends[in_run] - begin)));
  }
  return parts;
}

/// Suspends `take(dealt, run, place in it, arguments...)` for each shard.
template <auto Take, class R, class T, class... A>
std::vector<Lazy<Shard<R>>> take_all(const std::vector<Lazy<Dealt<T>>>& dealt,
                                     std::span<const Stretch> runs, const A&... arguments) {
  const Lazy<std::vector<Lazy<Dealt<T>>>> all(dealt);
  std::vector<Lazy<Shard<R>>> shards;
  for (std::size_t r = 0; r < runs.size(); ++r)
    for (auto i = runs[r].begin; i < runs[r].end; ++i)
      shards.push_back(lazy_placed<Take>(all, r, i - runs[r].begin, arguments...));
  return shards;
}

}  // namespace trawl::detail
