// The same data, in shards of the same length.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <trawl/dist/deal.hpp>
#include <trawl/dist/shares.hpp>

namespace trawl {
namespace detail {

template <class T>
Dealt<T> deal_evenly(std::uint64_t from, std::uint64_t n, std::size_t shards,
                     const Lazy<Shard<T>>& source,
                     const Lazy<std::vector<std::uint64_t>>& run_ends) {
  const auto& elements = force(force(source).elements);
  const auto to = from + elements.size();
  std::vector<std::uint64_t> ends;
  ends.reserve(shards);
  for (std::size_t i = 0; i < shards; ++i)
    ends.push_back(std::clamp(shard_begin(n, shards, i + 1), from, to) - from);
  return deal(elements, ends, force(run_ends));
}

template <class T>
Shard<T> take_evenly(const Lazy<std::vector<Lazy<Dealt<T>>>>& all, std::size_t run,
                     std::size_t in_run) {
  const auto& dealt = force(all);
  const auto parts = taken(dealt, run, in_run);
  std::size_t count = 0;
  for (const auto& part : parts) count += part.size();
  Made<T> made(count);
  for (const auto& part : parts) made.add_all(part);
  return std::move(made).shard();
}

}  // namespace detail

/// The same elements in the same order, in the shards in which `generate` would have made as many:
/// for what was made in few shards or in unequal ones, lines of a file, say. Waits until d is made.
template <class T>
Dist<T> evenly(const Dist<T>& d) {
  using namespace detail;
  const auto& source = d.parts();
  const auto counts = source.counts();
  std::uint64_t n = 0;
  for (const auto count : counts) n += count;
  const auto shards = shard_count(n);
  const auto places = places_for(std::vector<double>(shards, 1));
  const auto runs = stretches(places);
  const Lazy<std::vector<std::uint64_t>> run_ends(ends_of(runs));
  std::vector<Lazy<Dealt<T>>> dealt;
  std::uint64_t from = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    dealt.push_back(lazy_placed<&deal_evenly<T>>(from, n, shards, source.shards[i], run_ends));
    from += counts[i];
  }
  start(dealt, source.places);
  return made_from(source, take_all<&take_evenly<T>, T>(dealt, runs), places);
}

}  // namespace trawl
