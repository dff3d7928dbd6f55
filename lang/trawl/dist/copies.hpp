// Copies of distributed data on other PEs, for when a PE dies (rts/recover/README.md, Copies).
#pragma once

#include <span>
#include <stdexcept>
#include <type_traits>
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
  auto copy = force(shard);
  copy.elements = by_another_name(force(copy.elements));
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

/// Copies under way, of data that several workers may have. In a node of this PE's heap, as a Dist
/// is often in one, and dies there without being destroyed.
struct Copying {
  std::vector<heap::Node*> made;            ///< by these groups
  mutable std::vector<heap::Node*> shards;  ///< until it is said; then nothing
  mutable std::vector<heap::Node*> copies;  ///< of each; the same
  heap::Node* (*copy)(heap::Node* shard, heap::Node* is_whole) = nullptr;
  mutable bool told = false;  ///< atomic: where they are is said once

  bool there() const;
  /// For one of those who ask, on any worker: it is to say where they are.
  bool is_to_tell() const noexcept;
  /// Waits for them, and says where they are, if nobody has.
  void finish() const;

  /// It stays on this PE (value.hpp).
  template <class Archive>
  void serialize(Archive&) {}
};

/// Once they are there, what the data were made from need not be kept any more. Gives the same
/// Lazy<Copying> again, or nullptr if nothing is left to do.
heap::Node* finish(heap::Node* copying, bool wait);

/// About what these groups, Lazy<Ran>, have made on one PE, at the most.
double bytes_made(std::span<heap::Node* const> groups);
/// How long it will take to copy about as much as these groups have made, at these places, in ns.
double time_of_copies(std::span<heap::Node* const> groups, std::span<const Place> places);

/// What lies on the main PE needs none. `refer`: elements may hold a Lazy. A Lazy<Copying>, or
/// nullptr.
heap::Node* begin_copies(std::span<heap::Node* const> shards, std::span<const Place> places,
                         bool refer, heap::Node* (*copy)(heap::Node* shard, heap::Node* is_whole));

}  // namespace trawl::detail

template <>
struct trawl::needs_no_destructor<trawl::detail::Copying> : std::true_type {};
