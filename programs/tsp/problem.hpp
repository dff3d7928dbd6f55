// Symmetric travelling salesperson problems: distances, tours, and how long they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tsp {

using City = std::uint8_t;  ///< from 0
using Tour = std::vector<City>;
using Length = std::int64_t;

inline constexpr int most_cities = 200;
inline constexpr std::int32_t longest_distance =
    20'000'000;  ///< so that a tour's length has 32 bits

/// Whole distances between cities, the same both ways.
struct Problem {
  int cities = 0;
  std::vector<std::int32_t> distances;  // row by row
  Tour first;                           // a good tour to begin with
  Length first_length = 0;

  Length distance(int a, int b) const {
    return distances[static_cast<std::size_t>(a) * static_cast<std::size_t>(cities) +
                     static_cast<std::size_t>(b)];
  }
  /// Both ways; a whole number up to `longest_distance`.
  void set_distance(int a, int b, double distance);
};

/// All distances nought, no first tour.
Problem empty_problem(int cities);

/// Cities at whole places in a square of 10,000 x 10,000, the same for the same seed everywhere;
/// distances are rounded (TSPLIB's EUC_2D).
Problem random_problem(int cities, std::uint64_t seed);

Length length_of(const Problem& problem, const Tour& tour);

/// The same tour, beginning with city 0, in the direction in which its neighbour with the smaller
/// number comes next.
Tour canonical(Tour tour);

/// Sets `first`: nearest neighbour from each of the first `starts` cities, each improved by 2-opt
/// and by moving up to three cities elsewhere (or-opt) until nothing helps; the best of all.
void find_first_tour(Problem& problem, int starts);

/// The length of the shortest tour by dynamic programming over sets of cities (Held and Karp 1962),
/// which shares nothing with the search. For up to `most_exact` cities.
Length exact_length(const Problem& problem);
inline constexpr int most_exact = 16;

}  // namespace tsp
