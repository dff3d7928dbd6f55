// Thunks that are evaluated where they are placed: those for one PE go there together, in one
// message, and one comes back that says what became of them. Their values stay.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <trawl/dist/place.hpp>
#include <trawl/keep.hpp>
#include <trawl/placed.hpp>

namespace trawl::detail {

/// A part of distributed data: a handle, of some bytes.
template <class T>
struct Shard {
  Lazy<std::vector<T>> elements;  // kept
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;  // about what it takes in a message
  std::int64_t cost = 0;    // what making it took, in ns

  Shape trawl_told() const { return {count, bytes, cost, false}; }
};

/// Of the thunks of one group, in their order.
struct Ran {
  std::vector<Shape> shapes;
};

}  // namespace trawl::detail

template <>
inline constexpr bool trawl::heap::tells_of_others<trawl::detail::Ran> = true;

namespace trawl::detail {

// What programs call of the library knows no Lazy, only nodes: without NDEBUG it is another class
// (lazy.hpp).

template <class S>
std::vector<heap::Node*> nodes_of(const std::vector<Lazy<S>>& thunks) {
  std::vector<heap::Node*> all;
  all.reserve(thunks.size());
  for (const auto& x : thunks) all.push_back(x.node());
  return all;
}
template <class S>
std::vector<Lazy<S>> thunks_of(std::span<heap::Node* const> nodes) {
  std::vector<Lazy<S>> all;
  all.reserve(nodes.size());
  for (auto* node : nodes) all.push_back(Lazy<S>::refer_to(node));
  return all;
}

/// A call that evaluates these thunks, others of the PE beginning at the last, and says what became
/// of them: a Lazy<Ran>. Throws nothing of what they throw.
heap::Node* group_of(std::span<heap::Node* const> thunks);

/// Has them evaluated at their place, and gives what becomes of them: a Lazy<Ran>. On this PE no
/// thread is made for that: with one worker, who goes on with the program, it would stay until the
/// end, and all that it holds.
heap::Node* start_group(std::span<heap::Node* const> thunks, Place place);

/// The shards of one PE, those from `begin` on that lie in a row.
struct Stretch {
  std::size_t begin = 0;
  std::size_t end = 0;
  Place place;
};

std::vector<Stretch> stretches(std::span<const Place> places);

/// Before they are placed: how they are made is kept where that may be needed. Behind each come
/// those of them that it is made from.
void note_steps(std::span<heap::Node* const> thunks, std::span<const Place> places);

/// Sends each to its place; `places` are in runs. The last go first: so what refers to thunks
/// behind it finds them gone. Gives the groups.
std::vector<heap::Node*> start_groups(std::span<heap::Node* const> thunks,
                                      std::span<const Place> places);

template <class S>
std::vector<Lazy<Ran>> start(const std::vector<Lazy<S>>& thunks, std::span<const Place> places) {
  return thunks_of<Ran>(start_groups(nodes_of(thunks), places));
}

}  // namespace trawl::detail
