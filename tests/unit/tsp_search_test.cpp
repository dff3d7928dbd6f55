// tsp's branch and bound: exact, and the same tour whatever was known when.
#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "programs/tsp/problem.hpp"
#include "programs/tsp/search.hpp"

namespace tsp {
namespace {

/// What many PEs may do: children in any order, with a bound that is now fresh, now stale.
class Disorder {
 public:
  Disorder(const Problem& problem, Rank first, unsigned seed)
      : problem_(problem), first_(first), heard_(first), dice_(seed) {}

  Found search(const Node& node) {
    const Visit here = visit(problem_, node, dice_() % 2 == 0 ? heard_ : first_);
    if (!here.tour.empty()) {
      EXPECT_EQ(length_of(problem_, here.tour), here.length);
    }
    Found best = found_at(node, here);
    heard_ = std::min(heard_, best.rank);
    std::vector<std::size_t> order(here.children.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), dice_);
    std::vector<Found> found(order.size());
    for (const std::size_t i : order) found[i] = search(here.children[i]);
    for (const Found& one : found) best = better(best, one);
    return best;
  }

 private:
  const Problem& problem_;
  Rank first_;
  Rank heard_;
  std::mt19937 dice_;
};

/// Distances up to `longest`: the smaller it is, the more tours have the same length.
Problem any_problem(int cities, int longest, unsigned seed) {
  std::mt19937 random(seed);
  const auto dice = [&] { return static_cast<int>(random() % 1'000'000); };
  Problem problem = empty_problem(cities);
  for (int a = 0; a < cities; ++a)
    for (int b = 0; b < a; ++b) problem.set_distance(a, b, dice() % (longest + 1));
  find_first_tour(problem, 1);
  return problem;
}

TEST(TspSearch, ExactAndTheSameInAnyOrder) {
  for (unsigned seed = 0; seed < 300; ++seed)
    for (const int longest : {0, 1, 3, 1000}) {
      const Problem problem = any_problem(4 + static_cast<int>(seed) % 9, longest, seed);
      // Every other time it begins knowing nothing.
      const Found first =
          seed % 2 == 0 ? Found{} : Found{rank_of(problem.first_length, 0), problem.first};
      Found expected = first;
      search_sequential(problem, root_node(problem), expected);
      ASSERT_EQ(static_cast<Length>(expected.rank >> 32), exact_length(problem)) << seed;
      for (unsigned run = 0; run < 3; ++run) {
        Disorder disorder(problem, first.rank, run);
        const Found found = better(first, disorder.search(root_node(problem)));
        ASSERT_EQ(found.rank, expected.rank) << seed;
        ASSERT_EQ(found.tour, expected.tour) << seed;
      }
    }
}

TEST(TspSearch, FirstTourIsATour) {
  for (int cities = 1; cities <= 40; ++cities) {
    const Problem problem = any_problem(cities, 100, static_cast<unsigned>(cities));
    Tour sorted = problem.first;
    EXPECT_EQ(length_of(problem, sorted), problem.first_length);
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < sorted.size(); ++i) EXPECT_EQ(sorted[i], i);
    EXPECT_EQ(sorted.size(), static_cast<std::size_t>(cities));
  }
}

}  // namespace
}  // namespace tsp
