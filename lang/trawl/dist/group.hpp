// Thunks that are evaluated where they are placed: those for one PE go there together, in one
// message, and one comes back that says what became of them. Their values stay.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <trawl/dist/place.hpp>
#include <trawl/keep.hpp>
#include <trawl/placed.hpp>
#include <trawl/spread.hpp>

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

/// A thunk of a group, whatever it gives: who starts and sees to it does not look.
using Member = Lazy<heap::Anything>;

template <class S>
std::vector<Member> members(const std::vector<Lazy<S>>& thunks) {
  std::vector<Member> all;
  all.reserve(thunks.size());
  for (const auto& x : thunks) all.push_back(Member::refer_to(x.node()));
  return all;
}

/// Evaluates them, others of the PE beginning at the last. Throws nothing of what they throw.
Ran run_group(const std::vector<Member>& thunks);

/// On this PE no thread is made for the group: with one worker, who goes on with the program, it
/// would stay until the end, and all that it holds.
Lazy<Ran> start_group(const std::vector<Member>& thunks, Place place);

/// The shards of one PE, those from `begin` on that lie in a row.
struct Stretch {
  std::size_t begin = 0;
  std::size_t end = 0;
  Place place;
};

std::vector<Stretch> stretches(std::span<const Place> places);

/// Sends each to its place; `places` are in runs. The last go first: so what refers to thunks
/// behind it finds them gone.
std::vector<Lazy<Ran>> start_members(std::span<const Member> thunks, std::span<const Place> places);

template <class S>
std::vector<Lazy<Ran>> start(const std::vector<Lazy<S>>& thunks, std::span<const Place> places) {
  return start_members(members(thunks), places);
}

}  // namespace trawl::detail
