// A value of which each place that needs it has its own.
#pragma once

#include <utility>
#include <vector>

#include <trawl/dist/place.hpp>
#include <trawl/lazy.hpp>

namespace trawl {

/// What `all_gather` and `broadcast` give: the same value at each place where the data lay, or at
/// all. As an argument of a skeleton it is a T, the one that is near.
template <class T>
class Everywhere {
 public:
  using value_type = T;  ///< what force gives

  /// Nowhere; can't be forced.
  Everywhere() = default;

  /// The one that is at a place, or, where there is none, the first.
  Lazy<T> at(Place place) const {
    for (const auto& [where, value] : copies_)
      if (where == place) return value;
    return copies_.empty() ? Lazy<T>() : copies_.front().second;
  }

  /// It travels.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(copies_);
  }

  /// The runtime's.
  explicit Everywhere(std::vector<std::pair<Place, Lazy<T>>> copies) : copies_(std::move(copies)) {}
  /// The runtime's.
  const std::vector<std::pair<Place, Lazy<T>>>& copies() const noexcept { return copies_; }

 private:
  std::vector<std::pair<Place, Lazy<T>>> copies_;
};

template <class T>
struct needs_no_destructor<Everywhere<T>> : std::true_type {};

/// The value that is near.
template <class T>
const T& force(const Everywhere<T>& value) {
  return force(value.at(detail::place_of(sched::pe_here())));
}

/// A value for all places, each of which gets it from where it is when it is needed there first.
template <class T>
Everywhere<T> broadcast(const Lazy<T>& value) {
  std::vector<std::pair<Place, Lazy<T>>> copies;
  for (const auto place : places()) copies.emplace_back(place, value);
  return Everywhere<T>(std::move(copies));
}

}  // namespace trawl
