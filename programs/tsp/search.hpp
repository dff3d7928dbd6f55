// One step of the branch and bound: the one-tree bound of Held and Karp (1970, 1971), and the
// branching of Volgenant and Jonker (1982).
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "programs/tsp/problem.hpp"

namespace tsp {

/// An edge that all tours of a node use, or that none does.
struct Decision {
  City a;
  City b;
  bool used;
};

/// A tour's length, and below it the place in the search tree where it was found: what compares
/// less is shorter, or as short and further to the left. As the tree is always the same, so is the
/// least of all.
using Rank = std::uint64_t;
inline constexpr Rank no_rank = std::numeric_limits<Rank>::max();

inline Rank rank_of(Length length, std::uint32_t place) {
  return static_cast<Rank>(length) << 32 | place;
}

/// A node of the search tree: all tours that obey some decisions.
struct Node {
  std::vector<Decision> decisions;
  std::vector<std::int64_t> penalties;  // of visiting each city, in 1/1024 of a unit of length
  std::uint32_t depth = 0;
  std::uint32_t place = 1U << 30;  // of its leftmost descendant: two bits a level, 15 levels
};

/// What became of a node: it was bounded away or has no tours (nothing is set), its shortest tour
/// was found, or it has children, from left to right.
struct Visit {
  Tour tour;
  Length length = 0;
  std::vector<Node> children;
};

Node root_node(const Problem& problem);

/// What a node is like does not depend on `known`, the least rank heard of; only whether it is
/// given up, which happens when nothing in it can rank less or equal.
Visit visit(const Problem& problem, const Node& node, Rank known);

/// The least rank in a subtree, and its tour; or nothing, where all is ranked above what was known.
struct Found {
  Rank rank = no_rank;
  Tour tour;
};

/// What was found at a node itself, without its children.
Found found_at(const Node& node, const Visit& here);

/// Of two ranked the same, the left one: places are only told apart for so many levels.
Found better(Found left, Found right);

/// Searches a subtree from left to right for what is better than `best`.
void search_sequential(const Problem& problem, const Node& node, Found& best);

Found shortest_tour_sequential(const Problem& problem);

}  // namespace tsp
