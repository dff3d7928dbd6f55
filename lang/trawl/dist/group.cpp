#include <trawl/dist/group.hpp>
#include <trawl/placed.hpp>
#include <trawl/spread.hpp>

namespace trawl::detail {
namespace {

// A thunk of a group, whatever it gives: who starts and sees to it does not look.
using Member = Lazy<heap::Anything>;

// (A damaged message may have brought one that refers to nothing.)
Shape shape_of(const Member& x) {
  if (!x || x.node()->state() == heap::State::exception) return {.failed = true};
  const auto tell = x.node()->code().tell;
  if (tell == nullptr) return {};
  if (x.node()->state() != heap::State::value) demand_or_throw(x.node());
  return tell(x.node());
}

// This thread goes through them from the first. Throws nothing of what they throw.
Ran see_to_group(const std::vector<Member>& thunks) {
  for (const auto& x : thunks) see_to(x);
  for (const auto& x : thunks) await(x);
  Ran ran;
  ran.shapes.reserve(thunks.size());
  for (const auto& x : thunks) ran.shapes.push_back(shape_of(x));
  return ran;
}

Ran run_group(const std::vector<Member>& thunks) {
  const int here = sched::pe_here();
  for (auto i = thunks.size(); i-- > 1;)
    if (thunks[i]) sched::place(thunks[i].node(), here);
  return see_to_group(thunks);
}

}  // namespace

heap::Node* group_of(std::span<heap::Node* const> thunks) {
  return lazy_placed<&run_group>(thunks_of<heap::Anything>(thunks)).node();
}

heap::Node* start_group(std::span<heap::Node* const> thunks, Place place) {
  const int pe = pe_of(place);
  if (pe == sched::pe_here()) {
    for (auto* thunk : thunks) sched::place(thunk, pe);
    return lazy_placed<&see_to_group>(thunks_of<heap::Anything>(thunks)).node();
  }
  auto* const group = group_of(thunks);
  sched::place(group, pe);
  return group;
}

std::vector<Stretch> stretches(std::span<const Place> places) {
  std::vector<Stretch> all;
  for (std::size_t i = 0; i < places.size(); ++i)
    if (all.empty() || !(all.back().place == places[i]))
      all.push_back({i, i + 1, places[i]});
    else
      all.back().end = i + 1;
  return all;
}

void note_steps(std::span<heap::Node* const> thunks, std::span<const Place> places) {
  if (sched::skeletons_between_copies() == 0) return;
  std::vector<int> pes;
  pes.reserve(places.size());
  for (const auto place : places) pes.push_back(pe_of(place));
  sched::note_recipes(thunks, pes, &group_of);
}

std::vector<heap::Node*> start_groups(std::span<heap::Node* const> thunks,
                                      std::span<const Place> places) {
  note_steps(thunks, places);
  const auto runs = stretches(places);
  std::vector<heap::Node*> groups(runs.size());
  for (auto i = runs.size(); i-- > 0;) {
    const auto& [begin, end, place] = runs[i];
    groups[i] = start_group(thunks.subspan(begin, end - begin), place);
  }
  return groups;
}

}  // namespace trawl::detail
