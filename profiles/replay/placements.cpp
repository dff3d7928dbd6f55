#include "profiles/replay/placements.hpp"

#include <algorithm>

namespace replay {

// All shards cost the same.
trawl::Place Placements::place_of(Position position) {
  auto& places = places_[position.of];
  if (places.empty())
    places = position.of == 1 ? std::vector{trawl::places().front()}
                              : trawl::detail::places_for(std::vector<double>(position.of, 1.0));
  return places[position.index];
}

std::vector<std::pair<trawl::Place, std::vector<std::size_t>>> Placements::by_place() {
  std::vector<std::pair<trawl::Place, std::vector<std::size_t>>> all;
  for (std::size_t i = 0; i < thunks_.size(); ++i) {
    const auto place = place_of(thunks_[i].position);
    const auto its = std::find_if(all.rbegin(), all.rend(),
                                  [place](const auto& each) { return each.first == place; });
    if (its != all.rend())
      its->second.push_back(i);
    else
      all.push_back({place, {i}});
  }
  return all;
}

void Placements::start(std::vector<Thunk>& known) {
  const auto groups = by_place();
  for (auto at = groups.rbegin(); at != groups.rend(); ++at) {
    std::vector<trawl::heap::Node*> members;
    for (const auto i : at->second) members.push_back(thunks_[i].thunk.node());
    const auto group =
        trawl::Lazy<trawl::detail::Ran>::refer_to(trawl::detail::start_group(members, at->first));
    for (std::uint32_t i = 0; i < at->second.size(); ++i) {
      const auto& placed = thunks_[at->second[i]];
      auto& thunk = known[placed.known_at];
      // A group keeps all that is in it. (What was given away may not be needed here any more.)
      if (placed.placing != Placing::in_group || !thunk.large) continue;
      thunk.group = group;
      thunk.in_group = i;
    }
  }
  thunks_.clear();
}

}  // namespace replay
