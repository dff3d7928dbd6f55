// Copies of distributed data on other PEs, for when a PE dies (rts/recover/README.md, Copies).
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include <trawl/dist/made.hpp>

namespace trawl::detail {

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

/// The same of nodes, as begin_copies asks for it. `is_whole` may be none.
template <class T>
heap::Node* node_of_copy(heap::Node* shard, heap::Node* is_whole) {
  return copy_of(Lazy<Shard<T>>::refer_to(shard), Lazy<bool>::refer_to(is_whole)).node();
}

/// Copies under way, of data that several workers may have.
class Copying {
 public:
  /// Which of them have failed.
  using Failed = std::vector<bool>;

  /// `made`: by these groups.
  Copying(std::vector<heap::Node*> made, std::function<void(const Failed&)> tell)
      : made_(std::move(made)), tell_(std::move(tell)) {}

  bool there() const;
  /// Waits for them, and says where they are, if nobody has.
  void finish();

 private:
  std::vector<heap::Node*> made_;
  std::function<void(const Failed&)> tell_;
  std::atomic<bool> told_{false};
};

/// Once they are there, what the data were made from need not be kept any more.
void finish(std::shared_ptr<Copying>& copying, bool wait);

/// What lies on the main PE needs none. `refer`: elements may hold a Lazy.
std::shared_ptr<Copying> begin_copies(std::span<heap::Node* const> shards,
                                      std::span<const Place> places, bool refer,
                                      heap::Node* (*copy)(heap::Node* shard, heap::Node* is_whole));

}  // namespace trawl::detail
