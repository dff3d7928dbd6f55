#include "profiles/replay/placements.hpp"

#include <algorithm>
#include <unordered_map>

namespace replay {
namespace {

/// For shards of which all cost the same.
class Places {
 public:
  trawl::Place of(Position position) {
    auto& places = by_count_[position.of];
    if (places.empty())
      places = position.of == 1 ? std::vector{trawl::places().front()}
                                : trawl::detail::places_for(std::vector<double>(position.of, 1.0));
    return places[position.index];
  }

 private:
  std::unordered_map<Number, std::vector<trawl::Place>> by_count_;
};

}  // namespace

std::vector<std::pair<trawl::Place, std::vector<std::size_t>>> Placements::by_place() const {
  std::vector<std::pair<trawl::Place, std::vector<std::size_t>>> all;
  Places places;
  for (std::size_t i = 0; i < thunks_.size(); ++i) {
    const auto place = places.of(thunks_[i].position);
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
    std::vector<trawl::detail::Member> members;
    for (const auto i : at->second)
      members.push_back(trawl::detail::Member::refer_to(thunks_[i].thunk.node()));
    const auto group = trawl::detail::start_group(members, at->first);
    for (std::uint32_t i = 0; i < at->second.size(); ++i) {
      auto& thunk = known[thunks_[at->second[i]].known_at];
      if (!thunk.large) continue;  // it was given away, and is not needed here any more
      thunk.group = group;
      thunk.in_group = i;
    }
  }
  thunks_.clear();
}

}  // namespace replay
