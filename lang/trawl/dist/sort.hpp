// Sample sort, with weights: shards are cut where these balance (Alt, Mueller and Gorlatch, section
// 4.2). An element is copied once where it stays on its PE, else twice.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <trawl/dist/cuts.hpp>
#include <trawl/dist/deal.hpp>
#include <trawl/dist/rebalance.hpp>
#include <trawl/dist/weights.hpp>

namespace trawl {

namespace detail {

/// In which order a shard's elements are: they themselves stay where they lie.
template <class K>
struct Order {
  Lazy<std::vector<std::uint32_t>> places;  // kept
  std::vector<Sample<K>> samples;
};

template <class By, class T>
std::vector<Ranked<By, T>> in_order(const std::vector<T>& elements,
                                    const std::vector<std::uint32_t>& places) {
  std::vector<Ranked<By, T>> ranks;
  ranks.reserve(places.size());
  for (const auto place : places) ranks.emplace_back(elements[place]);
  return ranks;
}

template <class By, class T, class Weigh>
Order<KeyOf<By, T>> order_of_shard(std::size_t shard, std::size_t samples,
                                   const Lazy<Shard<T>>& source) {
  const auto& elements = force(force(source).elements);
  if (elements.size() > UINT32_MAX)
    throw Error("sort: shard " + std::to_string(shard) + " has more than 2^32 elements");
  const auto ranks = ranked<By>(elements);
  std::vector<std::uint32_t> places;
  places.reserve(ranks.size());
  for (const auto& rank : ranks)
    places.push_back(static_cast<std::uint32_t>(&rank.element() - elements.data()));
  return {keep(std::move(places)), regular_samples<Weigh>(ranks, shard, samples)};
}

/// Of a stretch's shards, one after the other.
template <class K>
std::vector<Sample<K>> samples_of_stretch(const std::vector<Lazy<Order<K>>>& orders) {
  std::vector<Sample<K>> all;
  for (const auto& order : orders) {
    const auto& some = force(order).samples;
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

template <class By, class T, class K>
std::vector<Sample<K>> splitters_of(const std::vector<Lazy<std::vector<Sample<K>>>>& stretches,
                                    std::size_t shards) {
  for (const auto& samples : stretches) fetch(samples);
  std::vector<Sample<K>> all;
  for (const auto& samples : stretches)
    all.insert(all.end(), force(samples).begin(), force(samples).end());
  return splitters<By, T>(std::move(all), shards);
}

constexpr std::size_t nowhere = SIZE_MAX;

/// The shards of a stretch before a sort.
template <class T, class K>
struct Unsorted {
  std::size_t first = 0;
  std::size_t own_run = nowhere;  // the new stretch on the same PE
  std::vector<Lazy<Shard<T>>> shards;
  std::vector<Lazy<Order<K>>> orders;
};

/// What a stretch has for others: a hand for each new one on another PE; for that on its own, where
/// in the order of each of its shards the parts end, and before them where the first begins.
template <class T>
struct Share {
  std::vector<Lazy<Hand<T>>> hands;                   // kept; nothing for its own stretch
  Lazy<std::vector<std::vector<std::uint64_t>>> own;  // kept
};

/// An old shard, in order, and where in it each new one ends.
template <class By, class T>
struct Cut {
  std::vector<Ranked<By, T>> ranks;
  std::vector<std::uint64_t> ends;

  std::uint64_t begin(std::size_t to) const { return to == 0 ? 0 : ends[to - 1]; }
};

/// For the new shards [begin, end): each is sorted.
template <class By, class T>
Hand<T> hand_for(const std::vector<Cut<By, T>>& cuts, std::size_t begin, std::size_t end) {
  Hand<T> hand;
  for (auto to = begin; to < end; ++to) {
    std::vector<Ranked<By, T>> merged;
    std::vector<std::size_t> ends{0};
    for (const auto& cut : cuts) {
      const auto at = cut.ranks.begin();
      merged.insert(merged.end(), at + static_cast<std::ptrdiff_t>(cut.begin(to)),
                    at + static_cast<std::ptrdiff_t>(cut.ends[to]));
      ends.push_back(merged.size());
    }
    merge_stretches(merged, ends);
    for (const auto& rank : merged) hand.elements.push_back(rank.element());
    hand.ends.push_back(hand.elements.size());
  }
  return hand;
}

template <class By, class T, class K>
Share<T> share_out(const Lazy<Unsorted<T, K>>& stretch, std::size_t shards,
                   const Lazy<std::vector<Sample<K>>>& splitters,
                   const Lazy<std::vector<std::uint64_t>>& run_ends) {
  const auto& source = force(stretch);
  std::vector<Cut<By, T>> cuts;
  for (std::size_t i = 0; i < source.shards.size(); ++i) {
    auto ranks = in_order<By>(force(force(source.shards[i]).elements),
                              force(force(source.orders[i]).places));
    auto ends = cut_ends<By>(ranks, source.first + i, force(splitters), shards);
    cuts.push_back({std::move(ranks), std::move(ends)});
  }
  Share<T> share;
  std::size_t begin = 0;
  for (const auto end : force(run_ends)) {
    if (share.hands.size() == source.own_run) {
      std::vector<std::vector<std::uint64_t>> own;
      for (const auto& cut : cuts) {
        own.push_back({cut.begin(begin)});
        for (auto to = begin; to < end; ++to) own.back().push_back(cut.ends[to]);
      }
      share.own = keep(std::move(own));
      share.hands.emplace_back();
    } else {
      share.hands.push_back(keep(hand_for(cuts, begin, static_cast<std::size_t>(end))));
    }
    begin = static_cast<std::size_t>(end);
  }
  return share;
}

/// A sort, as those see it who make the new shards of a stretch.
template <class T, class K>
struct Sources {
  std::vector<Lazy<Share<T>>> shares;  // of each old stretch
  std::size_t own = nowhere;           // that on the same PE
  Unsorted<T, K> own_shards;
};

/// All hands are asked for before the first is waited for.
template <class By, class T, class K>
Shard<T> merge_shares(const Lazy<Sources<T, K>>& all, std::size_t run, std::size_t in_run) {
  const auto& sources = force(all);
  for (const auto& share : sources.shares) fetch(share);
  for (std::size_t i = 0; i < sources.shares.size(); ++i)
    if (i != sources.own) fetch(force(sources.shares[i]).hands[run]);
  std::vector<Ranked<By, T>> ranks;
  std::vector<std::size_t> ends{0};
  for (std::size_t i = 0; i < sources.shares.size(); ++i) {
    const auto& share = force(sources.shares[i]);
    if (i != sources.own) {
      const Hand<T>& hand = force(share.hands[run]);
      for (auto at = in_run == 0 ? 0 : hand.ends[in_run - 1]; at < hand.ends[in_run]; ++at)
        ranks.emplace_back(hand.elements[static_cast<std::size_t>(at)]);
      ends.push_back(ranks.size());
      continue;
    }
    for (std::size_t shard = 0; shard < sources.own_shards.shards.size(); ++shard) {
      const auto& elements = force(force(sources.own_shards.shards[shard]).elements);
      const auto& places = force(force(sources.own_shards.orders[shard]).places);
      const auto& its = force(share.own)[shard];
      for (auto at = its[in_run]; at < its[in_run + 1]; ++at)
        ranks.emplace_back(elements[places[static_cast<std::size_t>(at)]]);
      ends.push_back(ranks.size());
    }
  }
  merge_stretches(ranks, ends);
  Made<T> made(ranks.size());
  for (const auto& rank : ranks) made.add(rank.element());
  return std::move(made).shard();
}

/// Where new shards go, which weigh the same: as much to each place as it got through of the old
/// ones since they were laid out, which weighed the same too; where nothing is known of that, by
/// its strength. (Section 4.2.)
template <class T>
std::vector<Place> places_to_sort_to(const Parts<T>& source) {
  const auto count = source.shards.size();
  const auto sites = sched::sites();
  Measured last;
  last.loads.assign(count, 1);
  last.costs.assign(count, 0);
  std::vector<double> bytes(count);
  for (const auto& made : source.past) {
    std::size_t i = 0;
    for (const auto& group : made) {
      if (!group.evaluated()) break;
      for (const auto& shape : force(group).shapes) {
        last.costs[i] += static_cast<double>(shape.cost);
        bytes[i++] = static_cast<double>(shape.bytes);
      }
    }
  }
  for (const auto& site : sites) {
    last.strengths.push_back(site.strength);
    last.workers.push_back(site.workers);
  }
  for (const auto place : source.places)
    for (std::size_t s = 0; s < sites.size(); ++s)
      if (sites[s].pe == pe_of(place)) last.owners.push_back(s);
  if (last.owners.size() != count || source.past.empty())
    return places_for(std::vector<double>(count, 1));
  constexpr double steps = 4;
  std::vector<Place> places;
  for (const auto owner : rebalanced(last, bytes, factors(last), steps))
    places.push_back(place_of(sites[owner].pe));
  return places;
}

template <class By, class Weigh, class T>
Dist<T> sort_by(const Dist<T>& d) {
  using K = KeyOf<By, T>;
  const auto& source = d.parts();
  keep_pace(source);
  const auto count = source.shards.size();
  if (count == 0) return d;
  std::vector<Lazy<Order<K>>> orders;
  for (std::size_t i = 0; i < count; ++i)
    orders.push_back(
        lazy_placed<&order_of_shard<By, T, Weigh>>(i, samples_of(count), source.shards[i]));
  start(orders, source.places);
  const auto places = places_to_sort_to(source);
  const auto old_runs = stretches(source.places);
  const auto runs = stretches(places);
  const Lazy<std::vector<std::uint64_t>> run_ends(ends_of(runs));
  std::vector<Unsorted<T, K>> unsorted;
  std::vector<Lazy<std::vector<Sample<K>>>> samples;
  std::vector<Place> old_places;
  std::vector<std::size_t> own_of(runs.size(), nowhere);
  for (const auto& old : old_runs) {
    Unsorted<T, K> its;
    its.first = old.begin;
    for (std::size_t r = 0; r < runs.size(); ++r)
      if (runs[r].place == old.place && own_of[r] == nowhere && its.own_run == nowhere) {
        own_of[r] = unsorted.size();
        its.own_run = r;
      }
    for (auto i = old.begin; i < old.end; ++i) {
      its.shards.push_back(source.shards[i]);
      its.orders.push_back(orders[i]);
    }
    samples.push_back(lazy_placed<&samples_of_stretch<K>>(its.orders));
    old_places.push_back(old.place);
    unsorted.push_back(std::move(its));
  }
  start(samples, old_places);
  const auto cuts = lazy_placed<&splitters_of<By, T, K>>(samples, count);
  start(std::vector{cuts}, std::span(source.places).first(1));
  std::vector<Lazy<Share<T>>> shares;
  for (const auto& its : unsorted)
    shares.push_back(
        lazy_placed<&share_out<By, T, K>>(Lazy<Unsorted<T, K>>(its), count, cuts, run_ends));
  start(shares, old_places);
  Parts<T> parts{{}, places, {}, source.made, {}};
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const Lazy<Sources<T, K>> all(Sources<T, K>{
        shares, own_of[r], own_of[r] == nowhere ? Unsorted<T, K>() : unsorted[own_of[r]]});
    for (auto i = runs[r].begin; i < runs[r].end; ++i)
      parts.shards.push_back(lazy_placed<&merge_shares<By, T, K>>(all, r, i - runs[r].begin));
  }
  parts.made = start(parts.shards, parts.places);
  return Dist<T>(std::move(parts));
}

}  // namespace detail

/// Sorted, stably: by a key, which is a member (`sort<&Body::key>(d)`) or what a function of an
/// element gives, or by a function that compares two elements (`sort<less>(d)`). As many shards as
/// before, cut where `weigh` balances: where they lie is chosen anew.
template <auto F, class T, class Weigh = ByCount>
Dist<T> sort(const Dist<T>& d, Weigh = {}) {
  constexpr bool fits = std::is_invocable_v<decltype(F), const T&, const T&> ||
                        std::is_invocable_v<decltype(F), const T&>;
  static_assert(fits, "trawl: sort takes a function of an element, or one that compares two.");
  if constexpr (fits) return detail::sort_by<detail::SortBy<F>, Weigh>(d);
}

}  // namespace trawl
