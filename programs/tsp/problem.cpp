#include "programs/tsp/problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

namespace tsp {

void Problem::set_distance(int a, int b, double distance) {
  const auto n = static_cast<std::size_t>(cities);
  const auto i = static_cast<std::size_t>(a);
  const auto j = static_cast<std::size_t>(b);
  distances[i * n + j] = distances[j * n + i] = static_cast<std::int32_t>(distance);
}

Problem empty_problem(int cities) {
  const auto n = static_cast<std::size_t>(cities);
  return {cities, std::vector<std::int32_t>(n * n), {}, 0};
}

Problem random_problem(int cities, std::uint64_t seed) {
  constexpr std::uint64_t side = 10'000;
  std::mt19937_64 random(seed);
  std::vector<std::pair<double, double>> places(static_cast<std::size_t>(cities));
  for (auto& [x, y] : places) {
    x = static_cast<double>(random() % side);
    y = static_cast<double>(random() % side);
  }
  Problem problem = empty_problem(cities);
  for (int a = 0; a < cities; ++a)
    for (int b = 0; b < a; ++b) {
      const auto& [ax, ay] = places[static_cast<std::size_t>(a)];
      const auto& [bx, by] = places[static_cast<std::size_t>(b)];
      problem.set_distance(a, b, std::floor(std::hypot(ax - bx, ay - by) + 0.5));
    }
  return problem;
}

Length length_of(const Problem& problem, const Tour& tour) {
  Length length = 0;
  for (std::size_t i = 0; i < tour.size(); ++i)
    length += problem.distance(tour[i], tour[i + 1 == tour.size() ? 0 : i + 1]);
  return length;
}

Tour canonical(Tour tour) {
  if (tour.empty()) return tour;
  std::rotate(tour.begin(), std::find(tour.begin(), tour.end(), City{0}), tour.end());
  if (tour.size() > 2 && tour.back() < tour[1]) std::reverse(tour.begin() + 1, tour.end());
  return tour;
}

namespace {

Tour nearest_neighbour(const Problem& problem, int start) {
  Tour tour;
  for (int city = 0; city < problem.cities; ++city) tour.push_back(static_cast<City>(city));
  std::swap(tour[0], tour[static_cast<std::size_t>(start)]);
  for (std::size_t i = 1; i < tour.size(); ++i) {
    const auto nearer = [&](City a, City b) {
      return problem.distance(tour[i - 1], a) < problem.distance(tour[i - 1], b);
    };
    std::iter_swap(
        tour.begin() + static_cast<std::ptrdiff_t>(i),
        std::min_element(tour.begin() + static_cast<std::ptrdiff_t>(i), tour.end(), nearer));
  }
  return tour;
}

/// Turns one part of the tour round where that makes it shorter.
bool two_opt(const Problem& problem, Tour& tour) {
  const std::size_t n = tour.size();
  bool better = false;
  for (std::size_t i = 0; i + 2 < n; ++i)
    for (std::size_t j = i + 2; j < n; ++j) {
      const City after = tour[j + 1 == n ? 0 : j + 1];
      const Length now = problem.distance(tour[i], tour[i + 1]) + problem.distance(tour[j], after);
      const Length then = problem.distance(tour[i], tour[j]) + problem.distance(tour[i + 1], after);
      if (then >= now) continue;
      std::reverse(tour.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                   tour.begin() + static_cast<std::ptrdiff_t>(j) + 1);
      better = true;
    }
  return better;
}

/// Moves the `count` cities at the front to where they fit best, either way round.
bool move_front(const Problem& problem, Tour& tour, std::size_t count) {
  const std::size_t n = tour.size();
  const City head = tour[0];
  const City tail = tour[count - 1];
  const Length saved = problem.distance(tour[n - 1], head) + problem.distance(tail, tour[count]) -
                       problem.distance(tour[n - 1], tour[count]);
  for (std::size_t i = count; i + 1 < n; ++i) {
    const Length gap = problem.distance(tour[i], tour[i + 1]);
    const Length straight =
        problem.distance(tour[i], head) + problem.distance(tail, tour[i + 1]) - gap;
    const Length turned =
        problem.distance(tour[i], tail) + problem.distance(head, tour[i + 1]) - gap;
    if (std::min(straight, turned) >= saved) continue;
    const auto front = tour.begin() + static_cast<std::ptrdiff_t>(count);
    if (turned < straight) std::reverse(tour.begin(), front);
    std::rotate(tour.begin(), front, tour.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    return true;
  }
  return false;
}

bool or_opt(const Problem& problem, Tour& tour) {
  bool better = false;
  for (std::size_t turn = 0; turn < tour.size(); ++turn) {
    for (std::size_t count = 1; count <= 3 && count + 2 < tour.size(); ++count)
      better = move_front(problem, tour, count) || better;
    std::rotate(tour.begin(), tour.begin() + 1, tour.end());
  }
  return better;
}

}  // namespace

void find_first_tour(Problem& problem, int starts) {
  problem.first.clear();
  for (int start = 0; start < std::min(starts, problem.cities); ++start) {
    Tour tour = nearest_neighbour(problem, start);
    for (bool better = true; better;) {
      better = two_opt(problem, tour);
      better = or_opt(problem, tour) || better;
    }
    const Length length = length_of(problem, tour);
    if (!problem.first.empty() && length >= problem.first_length) continue;
    problem.first = canonical(tour);
    problem.first_length = length;
  }
}

Length exact_length(const Problem& problem) {
  constexpr auto far = std::numeric_limits<Length>::max() / 2;
  const int last = problem.cities - 1;
  if (last < 1) return 0;
  const auto sets = std::size_t{1} << last;
  const auto width = static_cast<std::size_t>(last);
  // from[set * width + c]: the shortest way from the last city through all of `set`, ending at c.
  std::vector<Length> from(sets * width, far);
  for (std::size_t c = 0; c < width; ++c)
    from[(std::size_t{1} << c) * width + c] = problem.distance(last, static_cast<int>(c));
  for (std::size_t set = 1; set < sets; ++set)
    for (std::size_t c = 0; c < width; ++c) {
      const Length here = from[set * width + c];
      if (here == far) continue;
      for (std::size_t next = 0; next < width; ++next) {
        if ((set >> next & 1) != 0) continue;
        Length& there = from[(set | std::size_t{1} << next) * width + next];
        there =
            std::min(there, here + problem.distance(static_cast<int>(c), static_cast<int>(next)));
      }
    }
  Length best = far;
  for (std::size_t c = 0; c < width; ++c)
    best =
        std::min(best, from[(sets - 1) * width + c] + problem.distance(static_cast<int>(c), last));
  return best;
}

}  // namespace tsp
