// Where sorted shards are cut, by samples of all of them (Shi and Schaeffer's regular sampling,
// with weights): pure arithmetic.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include <trawl/dist/ranks.hpp>
#include <trawl/dist/weights.hpp>

namespace trawl::detail {

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
auto regular_samples(const std::vector<Rank<By, T>>& ranks, std::size_t shard,
                     std::size_t samples) {
  std::vector<Sample<KeyOf<By, T>>> some;
  if constexpr (std::is_same_v<Weigh, ByCount>) {
    for (std::size_t begin = 0, end = 0; begin != ranks.size(); begin = end) {
      const auto due = ranks.size() * (some.size() + 1);
      end = std::max(begin + 1, (due + samples - 1) / samples);
      some.push_back(
          {key_of<By, T>(ranks[end - 1]), shard, end - 1, static_cast<double>(end - begin)});
    }
    return some;
  }
  const auto weight_of = [](const Rank<By, T>& rank) { return Weigh()(element_of<By, T>(rank)); };
  double sum = 0;
  for (const auto& rank : ranks) sum += weight_of(rank);
  if (!(sum > 0) || !std::isfinite(sum)) {
    some = regular_samples<ByCount, By, T>(ranks, shard, samples);
    for (auto& sample : some) sample.weight = 0;
    return some;
  }
  double weight = 0;
  double seen = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const auto own = weight_of(ranks[i]);
    weight += own;
    seen += own;
    const auto due = sum * static_cast<double>(some.size() + 1);
    if (seen * static_cast<double>(samples) < due && i + 1 != ranks.size()) continue;
    some.push_back({key_of<By, T>(ranks[i]), shard, i, weight});
    weight = 0;
  }
  return some;
}

/// Where nothing weighs anything, elements weigh the same. `all` as below.
template <class K>
void weigh_by_count(std::vector<Sample<K>>& all) {
  std::uint64_t shard = 0;
  std::uint64_t before = 0;  // elements of that shard
  for (auto& sample : all) {
    if (std::exchange(shard, sample.shard) != sample.shard) before = 0;
    sample.weight = static_cast<double>(sample.index + 1 - before);
    before = sample.index + 1;
  }
}

/// The last element of each of `shards` new shards but the last, as a sample; `all` are those of
/// one old shard after the other.
template <class By, class T, class K>
std::vector<Sample<K>> splitters(std::vector<Sample<K>> all, std::size_t shards) {
  const auto weightless = [](const auto& sample) { return sample.weight == 0; };
  if (std::all_of(all.begin(), all.end(), weightless)) weigh_by_count(all);
  // Of equal keys those of the first shard are first already.
  std::vector<std::size_t> places(all.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  sort_places(places, [&all](std::size_t a, std::size_t b) {
    return By::template less<T>(all[a].key, all[b].key);
  });
  double sum = 0;
  for (const auto place : places) sum += all[place].weight;
  std::vector<Sample<K>> cuts;
  double seen = 0;
  for (const auto place : places) {
    seen += all[place].weight;
    while (cuts.size() + 1 < shards &&
           seen * static_cast<double>(shards) >= sum * static_cast<double>(cuts.size() + 1))
      cuts.push_back(all[place]);
  }
  return cuts;
}

/// Where in a sorted old shard each new one ends.
template <class By, class T, class K>
std::vector<std::uint64_t> cut_ends(const std::vector<Rank<By, T>>& ranks, std::size_t shard,
                                    const std::vector<Sample<K>>& cuts, std::size_t shards) {
  const auto less = [](const Rank<By, T>& x, const K& key) {
    return By::template less<T>(key_of<By, T>(x), key);
  };
  const auto more = [](const K& key, const Rank<By, T>& x) {
    return By::template less<T>(key, key_of<By, T>(x));
  };
  std::vector<std::uint64_t> ends;
  ends.reserve(shards);
  auto from = ranks.begin();  // cuts ascend
  for (const auto& last : cuts) {
    std::uint64_t end = ranks.size();
    if (!ranks.empty() && !less(ranks.back(), last.key)) {
      if (from != ranks.end() && less(*from, last.key))
        from = std::lower_bound(from, ranks.end(), last.key, less);
      const auto cut = shard > last.shard ? from
                       : shard < last.shard
                           ? std::upper_bound(from, ranks.end(), last.key, more)
                           : ranks.begin() + static_cast<std::ptrdiff_t>(last.index + 1);
      end = static_cast<std::uint64_t>(cut - ranks.begin());
    }
    // The program's order may contradict itself: then it is no order, but nothing is lost.
    ends.push_back(ends.empty() ? end : std::max(end, ends.back()));
  }
  ends.resize(shards, ranks.size());
  return ends;
}

}  // namespace trawl::detail
