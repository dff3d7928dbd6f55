// Where something is computed, as an opaque value.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <trawl/dist/shares.hpp>
#include <trawl/inline/places.hpp>

namespace trawl {

class Place;

namespace detail {
int pe_of(Place place);
Place place_of(int pe);
}  // namespace detail

/// One of the places at which data can lie and functions run. What it stands for is the runtime's.
class Place {
 public:
  /// The main PE.
  Place() = default;
  /// The same place?
  friend bool operator==(Place, Place) = default;

 private:
  friend int detail::pe_of(Place place);
  friend Place detail::place_of(int pe);

  int pe_ = 0;
};

namespace detail {

inline int pe_of(Place place) {
  return place.pe_;
}
inline Place place_of(int pe) {
  Place place;
  place.pe_ = pe;
  return place;
}

/// What would lie on lost PEs gets to those beside it: each place's shards still follow each other.
inline void leave_lost(std::span<Place> places) {
  const auto lost = [](Place place) { return sched::is_lost(pe_of(place)); };
  for (auto at = places.begin(); at != places.end();) {
    if (!lost(*at)) {
      ++at;
      continue;
    }
    const auto end = std::find_if_not(at, places.end(), lost);
    const bool has_left = at != places.begin();
    const bool has_right = end != places.end();
    const Place left = has_left ? at[-1] : Place();
    const Place right = has_right ? *end : left;
    const auto middle = has_left && has_right ? at + (end - at) / 2 : at;
    std::fill(at, middle, left);
    std::fill(middle, end, right);
    at = end;
  }
}

/// Another place for a copy: in other clusters, if they have room for those of this one.
inline Place away_from(Place place) {
  const auto sites = sched::sites();
  const auto at = std::find_if(sites.begin(), sites.end(),
                               [place](const auto& site) { return site.pe == pe_of(place); });
  if (sites.size() == 1 || at == sites.end()) return Place();
  std::vector<int> near;
  std::vector<int> others;
  std::size_t own = 0;
  for (const auto& site : sites) {
    if (site.pe == at->pe) own = near.size();
    (site.cluster == at->cluster ? near : others).push_back(site.pe);
  }
  if (others.size() >= near.size() || near.size() == 1)
    return place_of(others[own % others.size()]);
  return place_of(near[(own + (near.size() + 1) / 2) % near.size()]);
}

/// How many bytes of a Dist a place has room for: a loop of skeletons has up to three versions of
/// its data, and something is on its way; and, where there are copies, all since the last one.
inline double room_of(const sched::Site& site, int between_copies) {
  return site.memory / (4 + between_copies);
}

/// For shards of these bytes, in shares as speed x workers.
inline std::vector<Place> places_for(std::span<const double> bytes) {
  const auto sites = sched::sites();
  const int between_copies = sched::skeletons_between_copies();
  std::vector<double> strengths;
  std::vector<double> rooms;
  for (const auto& site : sites) {
    strengths.push_back(site.strength);
    rooms.push_back(room_of(site, between_copies));
  }
  const std::vector<double> costs(bytes.size(), 1);
  std::vector<Place> places;
  for (const auto owner : cut_to_fit(costs, strengths, bytes, rooms))
    places.push_back(place_of(sites[owner].pe));
  return places;
}

}  // namespace detail

/// All there are, those near each other side by side. Throws Error outside of a run.
inline std::vector<Place> places() {
  std::vector<Place> all;
  for (const auto& site : sched::sites()) all.push_back(detail::place_of(site.pe));
  return all;
}

}  // namespace trawl
