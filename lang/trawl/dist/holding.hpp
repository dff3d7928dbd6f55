// Who has how much of distributed data: for programs that report on their balance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <trawl/dist/value.hpp>

namespace trawl {

/// What one place has of a Dist.
struct Holding {
  Place place;              ///< which has it
  std::uint64_t count = 0;  ///< of elements
  double seconds = 0;       ///< that making them took there, all workers together
};

/// Those of all places that have some, in the order of the elements. Waits until d is made.
template <class T>
std::vector<Holding> holdings(const Dist<T>& d) {
  std::vector<Holding> all;
  std::size_t i = 0;
  d.parts().each_shape([&](const detail::Shape& shape) {
    const auto place = d.place(i++);
    if (all.empty() || !(all.back().place == place)) all.push_back({place});
    all.back().count += shape.count;
    all.back().seconds += 1e-9 * static_cast<double>(shape.cost);
  });
  return all;
}

}  // namespace trawl
