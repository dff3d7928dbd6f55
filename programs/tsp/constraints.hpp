// What follows from decisions about edges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "programs/tsp/search.hpp"

namespace tsp {

/// For each edge whether it is used, left out, or free, such that there are two used edges at each
/// city in the end, and no circle of used edges that leaves out a city.
class Constraints {
 public:
  enum class Edge : std::uint8_t { free, used, out };

  explicit Constraints(int cities);

  /// Decides an edge and all that follows. False if there is no such tour.
  bool decide(const Decision& decision);

  Edge edge(int a, int b) const { return edges_[at(a, b)]; }
  int used_at(int city) const { return used_[static_cast<std::size_t>(city)]; }

 private:
  std::size_t at(int a, int b) const {
    return static_cast<std::size_t>(a) * static_cast<std::size_t>(cities_) +
           static_cast<std::size_t>(b);
  }
  bool use(int a, int b);
  bool leave_out(int a, int b);
  bool settle(int city);

  int cities_;
  std::vector<Edge> edges_;
  std::vector<int> used_;       // edges at each city
  std::vector<int> out_;        // edges at each city
  std::vector<int> other_end_;  // of the path of used edges that ends at a city
  int all_used_ = 0;
  std::vector<int> changed_;  // cities to look at
};

}  // namespace tsp
