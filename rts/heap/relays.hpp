// Who of another cluster has got a large value of ours. Others there get it from him, so that it
// crosses the link between the clusters once; or from who is behind a better link to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include <boost/container/small_vector.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include "rts/inline/bytes.hpp"

namespace trawl::heap {

/// A PE, for which proxy of its the value was sent to it, how many bytes that took, and when it has
/// got it, about.
struct Holder {
  std::uint32_t pe = 0;
  std::uint32_t ticket = 0;
  std::size_t bytes = 0;
  Nanos due = 0;

  friend bool operator==(const Holder&, const Holder&) = default;
};

/// For values that have a slot. Of each cluster one PE is known.
class Relays {
 public:
  /// `lives` says whether a slot is still known to anybody.
  explicit Relays(std::function<bool(std::uint64_t slot)> lives) : lives_(std::move(lives)) {}

  bool empty() const noexcept { return holders_.empty(); }
  /// nullptr: none is known.
  const Holder* holder(std::uint64_t slot, std::uint32_t cluster) const;
  /// Of all clusters' the one of the least cost; nullptr: none is known.
  template <class Cost>
  const Holder* cheapest(std::uint64_t slot, Cost cost) const {
    const Holder* best = nullptr;
    const auto found = holders_.find(slot);
    if (found == holders_.end()) return nullptr;
    for (const auto& each : found->second)
      if (best == nullptr || cost(each.holder) < cost(*best)) best = &each.holder;
    return best;
  }
  /// The value goes to this PE.
  void note(std::uint64_t slot, std::uint32_t cluster, const Holder& holder);
  /// This PE has none, or not any more.
  void forget(std::uint64_t slot, std::uint32_t pe);

 private:
  struct Entry {
    std::uint32_t cluster;
    Holder holder;
  };
  using Entries = boost::container::small_vector<Entry, 1, PlainAllocator<Entry>>;

  std::function<bool(std::uint64_t)> lives_;
  boost::unordered_flat_map<std::uint64_t, Entries> holders_;  // by slot
  std::size_t tidy_at_ = 64;
};

}  // namespace trawl::heap
