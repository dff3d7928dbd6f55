#include "programs/tsp/one_tree.hpp"

#include <algorithm>

namespace tsp {

namespace {

// More than costs with their penalties can differ by.
constexpr std::int64_t far = std::int64_t{1} << 50;

}  // namespace

OneTree::OneTree(const Problem& problem, const Constraints& constraints)
    : cities_(static_cast<std::size_t>(problem.cities)), costs_(cities_ * cities_), open_(cities_) {
  edges_.degrees.resize(cities_);
  for (int a = 0; a < problem.cities; ++a)
    for (int b = 0; b < problem.cities; ++b) {
      auto& cost = costs_[static_cast<std::size_t>(a) * cities_ + static_cast<std::size_t>(b)];
      cost = problem.distance(a, b) * units;
      if (constraints.edge(a, b) == Constraints::Edge::used) cost -= far;
      if (constraints.edge(a, b) == Constraints::Edge::out) cost += far;
    }
}

bool OneTree::add(std::size_t a, std::size_t b) {
  const std::int64_t moved = cost(a, b);
  if (moved > far / 2) return false;
  edges_.bound += moved < -far / 2 ? moved + far : moved;
  ++edges_.degrees[a];
  ++edges_.degrees[b];
  edges_.pairs.emplace_back(static_cast<City>(a), static_cast<City>(b));
  return true;
}

bool OneTree::grow(const std::vector<std::int64_t>& penalties) {
  edges_.bound = 0;
  edges_.pairs.clear();
  std::fill(edges_.degrees.begin(), edges_.degrees.end(), 0);

  // Prim's algorithm from city 1; what is left of open_ moves together.
  const auto first = open_.begin();
  auto last = first;
  for (std::size_t city = 2; city < cities_; ++city)
    *last++ = {cost(1, city) + penalties[1] + penalties[city], city, 1};
  while (last != first) {
    const auto next =
        std::min_element(first, last, [](const Open& a, const Open& b) { return a.cost < b.cost; });
    const std::size_t city = next->city;
    if (!add(city, next->nearest)) return false;
    *next = *--last;
    const std::int64_t* row = &costs_[city * cities_];
    const std::int64_t penalty = penalties[city];
    for (auto open = first; open != last; ++open) {
      const std::int64_t here = row[open->city] + penalty + penalties[open->city];
      if (here < open->cost) {
        open->cost = here;
        open->nearest = city;
      }
    }
  }

  // The two cheapest edges at city 0.
  std::array<std::size_t, 2> cheapest{1, 2};
  const auto at_0 = [&](std::size_t city) { return cost(0, city) + penalties[city]; };
  if (at_0(2) < at_0(1)) std::swap(cheapest[0], cheapest[1]);
  for (std::size_t city = 3; city < cities_; ++city) {
    if (at_0(city) < at_0(cheapest[0]))
      cheapest = {city, cheapest[0]};
    else if (at_0(city) < at_0(cheapest[1]))
      cheapest[1] = city;
  }
  if (!add(0, cheapest[0]) || !add(0, cheapest[1])) return false;

  edges_.is_tour = true;
  for (std::size_t city = 0; city < cities_; ++city) {
    edges_.bound += penalties[city] * (edges_.degrees[city] - 2);
    edges_.is_tour = edges_.is_tour && edges_.degrees[city] == 2;
  }
  return true;
}

Tour Edges::tour() const {
  Tour tour{0};
  City before = 0;
  while (tour.size() < degrees.size()) {
    for (const auto& [a, b] : pairs) {
      const City here = tour.back();
      if (a != here && b != here) continue;
      const City next = a == here ? b : a;
      if (next == before) continue;
      before = here;
      tour.push_back(next);
      break;
    }
  }
  return canonical(tour);
}

}  // namespace tsp
