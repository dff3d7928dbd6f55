// The cheapest one-tree: a spanning tree of all cities but the first, and two edges at that one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "programs/tsp/constraints.hpp"
#include "programs/tsp/problem.hpp"

namespace tsp {

/// Costs are distances plus the penalties of both cities, in 1/1024 of a unit of length: whole
/// numbers, so that a bound is a proof and the same everywhere.
inline constexpr std::int64_t units = 1024;

/// Penalties stay between this and its negative, far from what would overflow.
inline constexpr std::int64_t largest_penalty = std::int64_t{1} << 44;

/// Some edges, how many there are at each city, and what they prove.
struct Edges {
  std::vector<std::pair<City, City>> pairs;
  std::vector<int> degrees;  // of each city
  std::int64_t bound = 0;    ///< of the length of all tours, in 1/1024
  bool is_tour = false;

  int degree(int city) const { return degrees[static_cast<std::size_t>(city)]; }
  /// The tour, if they are one.
  Tour tour() const;
};

/// A tour is a one-tree with two edges at each city, so the cheapest one-tree that obeys the
/// constraints costs no more than the shortest tour, whatever the penalties (Held and Karp 1970).
class OneTree {
 public:
  OneTree(const Problem& problem, const Constraints& constraints);

  /// Finds the cheapest one. False if there is none without an edge that is left out.
  bool grow(const std::vector<std::int64_t>& penalties);

  const Edges& edges() const { return edges_; }

 private:
  std::int64_t cost(std::size_t a, std::size_t b) const { return costs_[a * cities_ + b]; }
  bool add(std::size_t a, std::size_t b);

  std::size_t cities_;
  std::vector<std::int64_t> costs_;  // without penalties; used ones moved far down, others far up
  Edges edges_;

  struct Open {
    std::int64_t cost;
    std::size_t city;
    std::size_t nearest;  // in the tree
  };
  std::vector<Open> open_;
};

}  // namespace tsp
