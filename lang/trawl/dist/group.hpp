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
};

/// What is told of a thunk of a group.
struct Shape {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  std::int64_t cost = 0;
  bool failed = false;
};

template <class S>
Shape shape_of(const S&) {
  return {};
}
template <class T>
Shape shape_of(const Shard<T>& shard) {
  return {shard.count, shard.bytes, shard.cost, false};
}

/// Of the thunks of one group, in their order.
struct Ran {
  std::vector<Shape> shapes;
};

}  // namespace trawl::detail

template <>
inline constexpr bool trawl::heap::tells_of_others<trawl::detail::Ran> = true;

namespace trawl::detail {

/// This thread goes through them from the first. Throws nothing of what they throw.
template <class S>
Ran see_to_group(const std::vector<Lazy<S>>& thunks) {
  for (const auto& x : thunks) see_to(x);
  for (const auto& x : thunks) await(x);
  Ran ran;
  ran.shapes.reserve(thunks.size());
  for (const auto& x : thunks) {
    const bool failed = x.node()->state() == heap::State::exception;
    ran.shapes.push_back(failed ? Shape{0, 0, 0, true} : shape_of(force(x)));
  }
  return ran;
}

/// Others of the PE begin at the last.
template <class S>
Ran run_group(const std::vector<Lazy<S>>& thunks) {
  const int here = sched::pe_here();
  for (auto i = thunks.size(); i-- > 1;) sched::place(thunks[i].node(), here);
  return see_to_group(thunks);
}

/// On this PE no thread is made for the group: with one worker, who goes on with the program, it
/// would stay until the end, and all that it holds.
template <class S>
Lazy<Ran> start_group(const std::vector<Lazy<S>>& thunks, Place place) {
  const int pe = pe_of(place);
  if (pe == sched::pe_here()) {
    for (const auto& x : thunks) sched::place(x.node(), pe);
    return lazy_placed<&see_to_group<S>>(thunks);
  }
  auto group = lazy_placed<&run_group<S>>(thunks);
  sched::place(group.node(), pe);
  return group;
}

/// The shards of one PE, those from `begin` on that lie in a row.
struct Stretch {
  std::size_t begin = 0;
  std::size_t end = 0;
  Place place;
};

inline std::vector<Stretch> stretches(std::span<const Place> places) {
  std::vector<Stretch> all;
  for (std::size_t i = 0; i < places.size(); ++i)
    if (all.empty() || !(all.back().place == places[i]))
      all.push_back({i, i + 1, places[i]});
    else
      all.back().end = i + 1;
  return all;
}

/// Sends each to its place; `places` are in runs. The last go first: so what refers to thunks
/// behind it finds them gone.
template <class S>
std::vector<Lazy<Ran>> start(const std::vector<Lazy<S>>& thunks, std::span<const Place> places) {
  const auto runs = stretches(places);
  std::vector<Lazy<Ran>> groups(runs.size());
  for (auto i = runs.size(); i-- > 0;) {
    const Lazy<S>* const all = thunks.data();
    groups[i] = start_group(std::vector(all + runs[i].begin, all + runs[i].end), runs[i].place);
  }
  return groups;
}

}  // namespace trawl::detail
