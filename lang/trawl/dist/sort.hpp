// Sample sort, with weights: shards are cut where these balance (Alt, Mueller and Gorlatch, section
// 4.2). What is sorted are pointers, and an element is copied once where it stays on its PE, else
// twice; small ones are sorted themselves.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <trawl/dist/cuts.hpp>
#include <trawl/dist/deal.hpp>
#include <trawl/dist/weights.hpp>

namespace trawl {

namespace detail {

/// What is kept of a shard's elements in order: small ones; of others, which stay where they lie,
/// where that is.
template <class By, class T>
using InOrder = std::vector<std::conditional_t<sorts_copies<By, T>, T, std::uint32_t>>;

template <class By, class T>
struct Order {
  Lazy<InOrder<By, T>> elements;  // kept
  std::vector<Sample<KeyOf<By, T>>> samples;
};

template <class By, class T>
InOrder<By, T> in_order(std::vector<Rank<By, T>>&& ranks, const std::vector<T>& elements) {
  if constexpr (sorts_copies<By, T>) {
    return std::move(ranks);
  } else {
    std::vector<std::uint32_t> places;
    places.reserve(ranks.size());
    for (const auto& rank : ranks)
      places.push_back(static_cast<std::uint32_t>(&rank.element() - elements.data()));
    return places;
  }
}

/// Calls `use(ranks)` with the same again.
template <class By, class T, class Use>
decltype(auto) with_ranks(const InOrder<By, T>& in_order, const std::vector<T>& elements, Use use) {
  if constexpr (sorts_copies<By, T>) {
    return use(in_order);
  } else {
    std::vector<Ranked<By, T>> ranks;
    ranks.reserve(in_order.size());
    for (const auto place : in_order) ranks.emplace_back(elements[place]);
    return use(std::as_const(ranks));
  }
}

template <class By, class T, class Weigh>
Order<By, T> order_of_shard(std::size_t shard, std::size_t samples, const Lazy<Shard<T>>& source) {
  return in_shard("sort", By::name(), shard, [&] {
    const auto& elements = force(force(source).elements);
    if (elements.size() > UINT32_MAX)
      throw Error("sort: shard " + std::to_string(shard) + " has more than 2^32 elements");
    auto ranks = by_function("sort", By::name(), shard, [&] { return ranked<By, T>(elements); });
    const auto some = by_function("sort", weight_name<Weigh>, shard, [&] {
      return regular_samples<Weigh, By, T>(ranks, shard, samples);
    });
    return Order<By, T>{keep(in_order<By, T>(std::move(ranks), elements)), some};
  });
}

/// What the program's order throws where elements of several shards are compared.
template <class By, class Compare>
auto in_comparing(Compare compare) {
  try {
    return compare();
  } catch (...) {
    throw_from("sort<" + std::string(By::name()) + ">: comparing elements of several shards");
  }
}

template <class By, class T>
auto splitters_of(const std::vector<Lazy<Order<By, T>>>& orders) {
  std::vector<Sample<KeyOf<By, T>>> all;
  for (const auto& order : orders) {
    const auto& some = force(order).samples;
    all.insert(all.end(), some.begin(), some.end());
  }
  return in_comparing<By>([&] { return splitters<By, T>(std::move(all), orders.size()); });
}

/// What a shard has for others: a hand for each stretch on another PE; for that on its own, where
/// in its order the parts end.
template <class T>
struct Share {
  std::vector<Lazy<Hand<T>>> hands;      // kept; nothing for its own stretch
  Lazy<std::vector<std::uint64_t>> own;  // kept: the ends, and before them where the first begins
};

template <class By, class T>
Share<T> shared_out(const std::vector<Rank<By, T>>& ranks, const std::vector<std::uint64_t>& ends,
                    const std::vector<std::uint64_t>& run_ends, std::size_t own_run) {
  Share<T> share;
  std::uint64_t at = 0;
  std::size_t to = 0;
  for (const auto run_end : run_ends) {
    if (share.hands.size() == own_run) {
      std::vector<std::uint64_t> own{at};
      for (; to < run_end; ++to) own.push_back(at = ends[to]);
      share.own = keep(std::move(own));
      share.hands.emplace_back();
      continue;
    }
    share.hands.push_back(made_by_runtime<Hand<T>>([&](Hand<T>& hand) {
      const auto begin = at;
      for (; to < run_end; ++to) {
        at = ends[to];
        hand.ends.push_back(at - begin);
      }
      hand.elements.reserve(static_cast<std::size_t>(at - begin));
      for (auto i = begin; i < at; ++i)
        hand.elements.push_back(element_of<By, T>(ranks[static_cast<std::size_t>(i)]));
    }));
  }
  return share;
}

template <class By, class T, class K>
Share<T> share_out(std::size_t shard, std::size_t shards, std::size_t own_run,
                   const Lazy<Shard<T>>& source, const Lazy<Order<By, T>>& order,
                   const Lazy<std::vector<Sample<K>>>& cuts,
                   const Lazy<std::vector<std::uint64_t>>& run_ends) {
  return in_shard("sort", By::name(), shard, [&] {
    const auto& in_order = force(force(order).elements);
    return with_ranks<By, T>(in_order, force(force(source).elements), [&](const auto& ranks) {
      const auto& at = force(cuts);
      const auto ends = in_comparing<By>([&] { return cut_ends<By, T>(ranks, shard, at, shards); });
      return shared_out<By, T>(ranks, ends, force(run_ends), own_run);
    });
  });
}

/// A sort, as those see it who make the new shards of a stretch.
template <class By, class T>
struct Sources {
  std::vector<Lazy<Share<T>>> shares;
  std::size_t first_own = 0;  // shards that lie on the same PE already
  std::vector<Lazy<Shard<T>>> own;
  std::vector<Lazy<Order<By, T>>> own_orders;

  bool has(std::size_t shard) const { return shard - first_own < own.size(); }
};

/// What each shard has for shard `in_run` of stretch `run`, one behind the other. All hands are
/// asked for before the first is waited for.
template <class By, class T>
struct Gathered {
  std::vector<Rank<By, T>> ranks;
  std::vector<std::size_t> ends{0};

  Gathered(const Sources<By, T>& sources, std::size_t run, std::size_t in_run) {
    for (const auto& share : sources.shares) fetch(share);
    for (std::size_t i = 0; i < sources.shares.size(); ++i) {
      const auto& share = force(sources.shares[i]);  // in order: the first that failed is thrown
      if (!sources.has(i)) fetch(share.hands[run]);
    }
    ranks.reserve(count(sources, run, in_run));
    for (std::size_t i = 0; i < sources.shares.size(); ++i) {
      const auto& share = force(sources.shares[i]);
      if (sources.has(i))
        add_own(sources, i, force(share.own), in_run);
      else
        add_hand(force(share.hands[run]), in_run);
      ends.push_back(ranks.size());
    }
  }

 private:
  static std::size_t count(const Sources<By, T>& sources, std::size_t run, std::size_t in_run) {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < sources.shares.size(); ++i) {
      const auto& share = force(sources.shares[i]);
      sum += sources.has(i) ? length(force(share.own), in_run)
                            : length(force(share.hands[run]), in_run);
    }
    return sum;
  }
  static std::size_t length(const std::vector<std::uint64_t>& own, std::size_t in_run) {
    return static_cast<std::size_t>(own[in_run + 1] - own[in_run]);
  }
  static std::size_t length(const Hand<T>& hand, std::size_t in_run) {
    return static_cast<std::size_t>(hand.ends[in_run] - begin_of(hand, in_run));
  }
  static std::uint64_t begin_of(const Hand<T>& hand, std::size_t in_run) {
    return in_run == 0 ? 0 : hand.ends[in_run - 1];
  }

  void add_own(const Sources<By, T>& sources, std::size_t i, const std::vector<std::uint64_t>& own,
               std::size_t in_run) {
    const auto& in_order = force(force(sources.own_orders[i - sources.first_own]).elements);
    const auto some = std::span(in_order).subspan(own[in_run], length(own, in_run));
    if constexpr (sorts_copies<By, T>) {
      ranks.insert(ranks.end(), some.begin(), some.end());
    } else {
      const auto& elements = force(force(sources.own[i - sources.first_own]).elements);
      for (const auto place : some) ranks.emplace_back(elements[place]);
    }
  }

  void add_hand(const Hand<T>& hand, std::size_t in_run) {
    const auto some =
        std::span(hand.elements).subspan(begin_of(hand, in_run), length(hand, in_run));
    if constexpr (sorts_copies<By, T>)
      ranks.insert(ranks.end(), some.begin(), some.end());
    else
      for (const T& x : some) ranks.emplace_back(x);
  }
};

template <class By, class T>
Shard<T> merge_shares(const Lazy<Sources<By, T>>& all, std::size_t run, std::size_t in_run) {
  Gathered<By, T> gathered(force(all), run, in_run);
  auto& ranks = gathered.ranks;
  in_comparing<By>([&] { merge_stretches<By, T>(ranks, gathered.ends); });
  Made<T> made(ranks.size());
  if constexpr (sorts_copies<By, T>)
    made.add_all(ranks);
  else
    for (const auto& rank : ranks) made.add(rank.element());
  return std::move(made).shard();
}

template <class By, class Weigh, class T>
Dist<T> sort_by(const Dist<T>& d) {
  using K = KeyOf<By, T>;
  const auto& source = d.parts();
  keep_pace(source);
  const auto count = source.shards.size();
  if (count == 0) return d;
  std::vector<Lazy<Order<By, T>>> orders;
  for (std::size_t i = 0; i < count; ++i)
    orders.push_back(
        lazy_placed<&order_of_shard<By, T, Weigh>>(i, samples_of(count), source.shards[i]));
  start(orders, source.places);
  const auto cuts = lazy_placed<&splitters_of<By, T>>(orders);
  start(std::vector{cuts}, std::span(source.places).first(1));
  // Shards weigh the same from now on, and each place keeps as many.
  const auto runs = stretches(source.places);
  const Lazy<std::vector<std::uint64_t>> run_ends(ends_of(runs));
  std::vector<Lazy<Share<T>>> shares;
  for (std::size_t r = 0; r < runs.size(); ++r)
    for (auto i = runs[r].begin; i < runs[r].end; ++i)
      shares.push_back(lazy_placed<&share_out<By, T, K>>(i, count, r, source.shards[i], orders[i],
                                                         cuts, run_ends));
  start(shares, source.places);
  std::vector<Lazy<Shard<T>>> shards;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    Sources<By, T> sources{shares, runs[r].begin, {}, {}};
    for (auto i = runs[r].begin; i < runs[r].end; ++i) {
      sources.own.push_back(source.shards[i]);
      sources.own_orders.push_back(orders[i]);
    }
    const Lazy<Sources<By, T>> all(std::move(sources));
    for (auto i = runs[r].begin; i < runs[r].end; ++i)
      shards.push_back(lazy_placed<&merge_shares<By, T>>(all, r, i - runs[r].begin));
  }
  return made_from(source, std::move(shards), source.places);
}

}  // namespace detail

/// Sorted, stably: by `<`, or by a key, which is a member (`sort<&Body::key>(d)`) or what a
/// function of an element gives, or by a function that compares two elements (`sort<less>(d)`). As
/// many shards as before, on each place too, cut where `weigh` balances.
template <auto F = std::less<>{}, class T, class Weigh = ByCount>
Dist<T> sort(const Dist<T>& d, Weigh = {}) {
  if constexpr (detail::sorts<F, T>() && detail::weighs_in_sort<Weigh, T>())
    return detail::sort_by<detail::SortBy<F>, Weigh>(d);
  else
    return d;
}

}  // namespace trawl
