#include "programs/tsp/search.hpp"

#include <algorithm>
#include <utility>

#include "programs/tsp/constraints.hpp"
#include "programs/tsp/one_tree.hpp"

namespace tsp {

namespace {

constexpr std::uint32_t levels_in_place = 15;

Node child_of(const Node& node, const std::vector<std::int64_t>& penalties, std::uint32_t which) {
  Node child{node.decisions, penalties, node.depth + 1, node.place};
  if (node.depth < levels_in_place) child.place += which << 2 * (levels_in_place - 1 - node.depth);
  return child;
}

/// The bound of a node, made as tight as is worth it: the subgradient method of Held and Karp
/// (1971), with Polyak's steps towards the length of the first tour. What it does depends on the
/// node alone.
class Ascent {
 public:
  Ascent(const Problem& problem, const Constraints& constraints, const Node& node)
      : problem_(problem), tree_(problem, constraints), penalties_(node.penalties) {
    const int n = problem.cities;
    steps_ = node.depth == 0 ? 4 * n + 100 : n / 2 + 10;
  }

  enum class End { given_up, tour, branch };

  End climb(Rank known, std::uint32_t place) {
    double scale = 1;
    for (int step = 0; step < steps_; ++step) {
      if (!tree_.grow(penalties_)) return End::given_up;
      if (step == 0 || tree_.edges().bound > best_.bound) {
        best_ = tree_.edges();
        best_penalties_ = penalties_;
        const Length at_least = (best_.bound + units - 1) / units;
        if (rank_of(std::max<Length>(at_least, 0), place) > known) return End::given_up;
        if (best_.is_tour) return End::tour;
      }
      move(scale);
      scale *= 0.96;
    }
    return End::branch;
  }

  const Edges& best() const { return best_; }
  const std::vector<std::int64_t>& penalties() const { return best_penalties_; }

 private:
  void move(double scale) {
    double norm = 0;
    for (int city = 0; city < problem_.cities; ++city) {
      const double excess = tree_.edges().degree(city) - 2;
      norm += excess * excess;
    }
    if (norm == 0) return;
    const auto missing =
        static_cast<double>(std::max(problem_.first_length * units - tree_.edges().bound, units));
    const auto distance = static_cast<std::int64_t>(scale * missing / norm) + 1;
    for (int city = 0; city < problem_.cities; ++city) {
      auto& penalty = penalties_[static_cast<std::size_t>(city)];
      penalty = std::clamp(penalty + distance * (tree_.edges().degree(city) - 2), -largest_penalty,
                           largest_penalty);
    }
  }

  const Problem& problem_;
  OneTree tree_;
  Edges best_;
  std::vector<std::int64_t> penalties_;
  std::vector<std::int64_t> best_penalties_;
  int steps_;
};

/// The free edges of a one-tree at a city.
std::vector<City> free_neighbours(const Edges& tree, const Constraints& constraints, int city) {
  std::vector<City> others;
  for (const auto& [a, b] : tree.pairs) {
    if (a != city && b != city) continue;
    const City other = a == city ? b : a;
    if (constraints.edge(city, other) == Constraints::Edge::free) others.push_back(other);
  }
  return others;
}

/// A city with too many edges has at most two of the one-tree's: both of two, one or the other, or
/// neither. Where a used edge is known, just one more is to be found.
std::vector<Node> branch(const Node& node, const Ascent& ascent, const Constraints& constraints,
                         int cities) {
  int city = -1;
  for (int c = 0; c < cities; ++c) {
    if (ascent.best().degree(c) < 3) continue;
    if (city < 0 || constraints.used_at(c) > constraints.used_at(city) ||
        (constraints.used_at(c) == constraints.used_at(city) &&
         ascent.best().degree(c) > ascent.best().degree(city)))
      city = c;
  }
  const auto here = static_cast<City>(city);
  const auto others = free_neighbours(ascent.best(), constraints, city);

  std::vector<Node> children;
  const auto add = [&](std::initializer_list<Decision> decisions) {
    Node child = child_of(node, ascent.penalties(), static_cast<std::uint32_t>(children.size()));
    child.decisions.insert(child.decisions.end(), decisions.begin(), decisions.end());
    children.push_back(std::move(child));
  };
  if (constraints.used_at(city) == 0) add({{here, others[0], true}, {here, others[1], true}});
  if (constraints.used_at(city) == 0)
    add({{here, others[0], true}, {here, others[1], false}});
  else
    add({{here, others[0], true}});
  add({{here, others[0], false}});
  return children;
}

}  // namespace

Node root_node(const Problem& problem) {
  return {{}, std::vector<std::int64_t>(static_cast<std::size_t>(problem.cities)), 0, 1U << 30};
}

Visit visit(const Problem& problem, const Node& node, Rank known) {
  Constraints constraints(problem.cities);
  for (const Decision& decision : node.decisions)
    if (!constraints.decide(decision)) return {};
  Ascent ascent(problem, constraints, node);
  switch (ascent.climb(known, node.place)) {
    case Ascent::End::given_up:
      return {};
    case Ascent::End::tour: {
      Visit found;
      found.tour = ascent.best().tour();
      found.length = length_of(problem, found.tour);
      return found;
    }
    case Ascent::End::branch:
      break;
  }
  return {{}, 0, branch(node, ascent, constraints, problem.cities)};
}

Found found_at(const Node& node, const Visit& here) {
  if (here.tour.empty()) return {};
  return {rank_of(here.length, node.place), here.tour};
}

Found better(Found left, Found right) {
  return right.rank < left.rank ? std::move(right) : std::move(left);
}

void search_sequential(const Problem& problem, const Node& node, Found& best) {
  const Visit here = visit(problem, node, best.rank);
  best = better(std::move(best), found_at(node, here));
  for (const Node& child : here.children) search_sequential(problem, child, best);
}

Found shortest_tour_sequential(const Problem& problem) {
  Found best{rank_of(problem.first_length, 0), problem.first};
  if (problem.cities > 3) search_sequential(problem, root_node(problem), best);
  return best;
}

}  // namespace tsp
