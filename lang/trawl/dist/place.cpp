#include <algorithm>
#include <cstddef>

#include <trawl/dist/place.hpp>
#include <trawl/dist/shares.hpp>

namespace trawl {
namespace detail {

void leave_lost(std::span<Place> places) {
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

Place away_from(Place place) {
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

double room_of(const sched::Site& site, int between_copies) {
  return site.memory / (4 + std::min(between_copies, 4));
}

std::vector<Place> places_for(std::span<const double> bytes) {
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

std::vector<Place> places() {
  std::vector<Place> all;
  for (const auto& site : sched::sites()) all.push_back(detail::place_of(site.pe));
  return all;
}

}  // namespace trawl
