// Copies of distributed data on other PEs, for when a PE dies (rts/recover/README.md, Copies).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include <trawl/dist/made.hpp>

namespace trawl::detail {

/// On the PE of a shard whose elements may hold a Lazy: all that they refer to comes there.
inline bool whole(const Member& shard) {
  return sched::gather(shard.node(), false);
}

/// With what it refers to, which would be gone with the same PE, if `is_whole` says that it is all
/// evaluated; as nothing is evaluated for a copy, else there is none. Without `is_whole` alone.
template <class T>
Shard<T> copied_shard(const Lazy<Shard<T>>& shard, const Lazy<bool>& is_whole) {
  if (is_whole && !(force(is_whole) && sched::gather(shard.node(), true)))
    throw std::runtime_error("it is not evaluated");
  const auto& from = force(shard);
  const auto& elements = force(from.elements);
  Made<T> made(elements.size());
  for (const auto& x : elements) made.add(x);
  auto copy = std::move(made).shard();
  copy.cost = from.cost;  // what making it took, not copying it
  return copy;
}

template <class T>
Lazy<Shard<T>> copy_of(const Lazy<Shard<T>>& shard, const Lazy<bool>& is_whole = {}) {
  return lazy_placed<&copied_shard<T>>(shard, is_whole);
}

template <class T>
Member member_copy_of(const Member& shard, const Lazy<bool>& is_whole) {
  return Member::refer_to(copy_of(Lazy<Shard<T>>::refer_to(shard.node()), is_whole).node());
}

/// Copies under way, of data that several workers may have.
class Copying {
 public:
  /// Which of them have failed.
  using Failed = std::vector<bool>;

  Copying(std::vector<Lazy<Ran>> made, std::function<void(const Failed&)> tell)
      : made_(std::move(made)), tell_(std::move(tell)) {}

  bool there() const {
    return std::all_of(made_.begin(), made_.end(),
                       [](const auto& group) { return group.evaluated(); });
  }
  /// Waits for them, and says where they are, if nobody has.
  void finish() {
    if (told_.exchange(true)) return;
    Failed failed;
    for (const auto& group : made_)
      for (const auto& shape : force(group).shapes) failed.push_back(shape.failed);
    std::exchange(tell_, {})(failed);
  }

 private:
  std::vector<Lazy<Ran>> made_;
  std::function<void(const Failed&)> tell_;
  std::atomic<bool> told_{false};
};

/// Once they are there, what the data were made from need not be kept any more.
inline void finish(std::shared_ptr<Copying>& copying, bool wait) {
  if (copying == nullptr || (!wait && !copying->there())) return;
  copying->finish();
  copying = nullptr;
}

/// What lies on the main PE needs none. `refer`: elements may hold a Lazy.
inline std::shared_ptr<Copying> begin_copies(std::span<const Member> shards,
                                             std::span<const Place> places, bool refer,
                                             Member (*copy)(const Member&, const Lazy<bool>&)) {
  std::vector<Member> mortal;
  std::vector<Member> copies;
  std::vector<Place> to;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    if (places[i] == Place()) continue;
    const auto is_whole = refer ? lazy_placed<&whole>(shards[i]) : Lazy<bool>();
    mortal.push_back(shards[i]);
    copies.push_back(copy(shards[i], is_whole));
    to.push_back(away_from(places[i]));
    if (is_whole) sched::place(is_whole.node(), pe_of(places[i]));
  }
  if (copies.empty()) return nullptr;
  auto made = start_members(copies, to);
  const auto tell = [mortal, copies, copy](const Copying::Failed& failed) {
    for (std::size_t i = 0; i < mortal.size(); ++i) {
      // If the copy were made of the shard again, each would wait for the other.
      if (failed[i] || !sched::also_from(copies[i].node(), nullptr)) continue;
      sched::also_from(mortal[i].node(), copy(copies[i], {}).node());
    }
  };
  return std::make_shared<Copying>(std::move(made), tell);
}

}  // namespace trawl::detail
