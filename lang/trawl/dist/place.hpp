// Where something is computed, as an opaque value.
#pragma once

#include <span>
#include <vector>

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
void leave_lost(std::span<Place> places);

/// Another place for a copy: in other clusters, if they have room for those of this one.
Place away_from(Place place);

/// How many bytes of a Dist a place has room for: a loop of skeletons has up to three versions of
/// its data, and something is on its way; and, where there are copies, these, what they are
/// of, and the same of those that are under way.
double room_of(const sched::Site& site, int between_copies);

/// For shards of these bytes, in shares as speed x workers.
std::vector<Place> places_for(std::span<const double> bytes);

}  // namespace detail

/// All there are, those near each other side by side. Throws Error outside of a run.
std::vector<Place> places();

}  // namespace trawl
