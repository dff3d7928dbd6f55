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
std::vector<Member> members(std::span<const Lazy<S>> thunks) {
  std::vector<Member> all;
  all.reserve(thunks.size());
  for (const auto& x : thunks) all.push_back(Member::refer_to(x.node()));
  return all;
}

/// (A damaged message may have brought one that refers to nothing.)
inline Shape shape_of(const Member& x) {
  if (!x || x.node()->state() == heap::State::exception) return {.failed = true};
  const auto tell = x.node()->code().tell;
  if (tell == nullptr) return {};
  if (x.node()->state() != heap::State::value) demand_or_throw(x.node());
  return tell(x.node());
}

/// This thread goes through them from the first. Throws nothing of what they throw.
inline Ran see_to_group(const std::vector<Member>& thunks) {
  for (const auto& x : thunks) see_to(x);
  for (const auto& x : thunks) await(x);
  Ran ran;
  ran.shapes.reserve(thunks.size());
  for (const auto& x : thunks) ran.shapes.push_back(shape_of(x));
  return ran;
}

/// Others of the PE begin at the last.
inline Ran run_group(const std::vector<Member>& thunks) {
  const int here = sched::pe_here();
  for (auto i = thunks.size(); i-- > 1;)
    if (thunks[i]) sched::place(thunks[i].node(), here);
  return see_to_group(thunks);
}

/// On this PE no thread is made for the group: with one worker, who goes on with the program, it
/// would stay until the end, and all that it holds.
inline Lazy<Ran> start_group(const std::vector<Member>& thunks, Place place) {
  const int pe = pe_of(place);
  if (pe == sched::pe_here()) {
    for (const auto& x : thunks) sched::place(x.node(), pe);
    return lazy_placed<&see_to_group>(thunks);
  }
  auto group = lazy_placed<&run_group>(thunks);
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
inline std::vector<Lazy<Ran>> start_members(std::span<const Member> thunks,
                                            std::span<const Place> places) {
  const auto runs = stretches(places);
  std::vector<Lazy<Ran>> groups(runs.size());
  for (auto i = runs.size(); i-- > 0;) {
    const auto some = thunks.subspan(runs[i].begin, runs[i].end - runs[i].begin);
    groups[i] = start_group({some.begin(), some.end()}, runs[i].place);
  }
  return groups;
}

template <class S>
std::vector<Lazy<Ran>> start(const std::vector<Lazy<S>>& thunks, std::span<const Place> places) {
  return start_members(members(std::span(thunks)), places);
}

}  // namespace trawl::detail
