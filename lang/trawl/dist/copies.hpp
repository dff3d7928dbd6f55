// Copies of distributed data on other PEs, for when a PE dies (rts/recover/README.md, Copies).
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include <trawl/dist/made.hpp>

namespace trawl::detail {

template <class T>
Shard<T> copied_shard(const Lazy<Shard<T>>& shard) {
  const auto& from = force(shard);
  const auto& elements = force(from.elements);
  Made<T> made(elements.size());
  for (const auto& x : elements) made.add(x);
  auto copy = std::move(made).shard();
  copy.cost = from.cost;  // what making it took, not copying it
  return copy;
}

/// Copies under way.
struct Copying {
  std::vector<Lazy<Ran>> made;
  std::function<void()> tell{};  ///< says where they are; empty: there are none
};

/// Once they are there, what the data were made from need not be kept any more.
inline void finish(Copying& copying, bool wait) {
  if (!copying.tell) return;
  const auto is_there = [](const auto& group) { return group.evaluated(); };
  if (!wait && !std::all_of(copying.made.begin(), copying.made.end(), is_there)) return;
  for (const auto& group : copying.made) await(group);
  copying.tell();
  copying = {};
}

/// What lies on the main PE needs none.
template <class T>
Copying begin_copies(std::span<const Lazy<Shard<T>>> shards, std::span<const Place> places) {
  std::vector<Lazy<Shard<T>>> mortal;
  std::vector<Lazy<Shard<T>>> copies;
  std::vector<Place> to;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    if (places[i] == Place()) continue;
    mortal.push_back(shards[i]);
    copies.push_back(lazy_placed<&copied_shard<T>>(shards[i]));
    to.push_back(away_from(places[i]));
  }
  if (copies.empty()) return {};
  auto made = start(copies, to);
  return {std::move(made), [mortal, copies] {
            for (std::size_t i = 0; i < mortal.size(); ++i) {
              // If the copy were made of the shard again, each would wait for the other.
              if (!sched::also_from(copies[i].node(), nullptr)) continue;
              sched::also_from(mortal[i].node(), lazy_placed<&copied_shard<T>>(copies[i]).node());
            }
          }};
}

}  // namespace trawl::detail
