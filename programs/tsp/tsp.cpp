// tsp FILE | --random N: the shortest tour of N cities, by branch and bound.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <trawl/trawl.hpp>

#include "programs/common/command.hpp"
#include "programs/common/progress.hpp"
#include "programs/tsp/problem.hpp"
#include "programs/tsp/search.hpp"
#include "programs/tsp/tsplib.hpp"

namespace {

using namespace tsp;

// ---- in parallel -------------------------------------------------------------------------------

using trawl::Lazy;

/// The least rank that anybody has found: whoever knows less does more work and comes to the same
/// end.
using Known = trawl::Bound<Rank>;

Found search_all(Lazy<Problem> problem, Known known, const std::vector<Node>& nodes);

Found search(Lazy<Problem> problem, Known known, const Node& node) {
  const Visit here = visit(trawl::force(problem), node, known.value());
  Found found = found_at(node, here);
  known.improve(found.rank);
  return here.children.empty() ? found : search_all(problem, known, here.children);
}

/// Those on the right may be searched by others, while we search the one on the left.
Found search_all(Lazy<Problem> problem, Known known, const std::vector<Node>& nodes) {
  if (nodes.size() == 1) return search(problem, known, nodes.front());
  auto right =
      trawl::spawn<search_all>(problem, known, std::vector<Node>(nodes.begin() + 1, nodes.end()));
  Found left = search(problem, known, nodes.front());
  return better(std::move(left), right.sync());
}

/// The first levels of the tree are made into a list here, to show how far we are.
Found shortest_tour(const Problem& given) {
  const Lazy<Problem> problem(given);
  Found best{rank_of(given.first_length, 0), given.first};
  if (given.cities <= 3) return best;  // there is but one tour
  std::vector<Node> nodes{root_node(given)};
  for (int level = 0; level < 3; ++level) {
    std::vector<Node> below;
    for (const Node& node : nodes) {
      Visit here = visit(given, node, best.rank);
      best = better(std::move(best), found_at(node, here));
      std::move(here.children.begin(), here.children.end(), std::back_inserter(below));
    }
    nodes = std::move(below);
  }

  const Known known(best.rank);
  std::vector<Lazy<Found>> answers;
  for (const Node& node : nodes) answers.push_back(trawl::lazy<search>(problem, known, node));
  trawl::apply(answers, trawl::par_list(trawl::rseq));
  programs::Progress progress("subtrees searched", answers.size());
  for (const auto& answer : answers) {
    best = better(std::move(best), trawl::force(answer));
    progress.advance_in(answers);
  }
  return best;
}

// ------------------------------------------------------------------------------------------------

std::string to_text(const Found& best) {
  std::string text = fmt::format("length {}\ntour", best.rank >> 32);
  for (const City city : best.tour) text += fmt::format(" {}", city + 1);
  return text;
}

bool is_tour(const Problem& problem, Tour cities) {
  std::sort(cities.begin(), cities.end());
  for (std::size_t i = 0; i < cities.size(); ++i)
    if (cities[i] != i) return false;
  return cities.size() == static_cast<std::size_t>(problem.cities);
}

std::string wrong(const Problem& problem, const Found& best) {
  const auto length = static_cast<Length>(best.rank >> 32);
  if (!is_tour(problem, best.tour)) return "this is no tour: " + to_text(best);
  if (const Length real = length_of(problem, best.tour); real != length)
    return fmt::format("the tour's length is {}, not {}", real, length);
  const Found expected = shortest_tour_sequential(problem);
  if (expected.tour != best.tour)
    return fmt::format("found is {}, sequentially {}", to_text(best), to_text(expected));
  if (problem.cities > most_exact) return "";
  if (const Length exact = exact_length(problem); exact != length)
    return fmt::format("the length is {}, by dynamic programming {}", length, exact);
  return "";
}

struct Arguments {
  std::string file;
  int random = 0;
  std::int64_t seed = 1;
  int starts = most_cities;
  std::string tour_file;

  std::string name() const {
    return file.empty() ? fmt::format("random {} seed {}", random, seed) : file;
  }
};

Problem problem_of(const Arguments& arguments) {
  if (arguments.file.empty() == (arguments.random == 0))
    throw programs::BadInput("give a TSPLIB file, or --random N (see tsp --help)");
  Problem problem =
      arguments.file.empty()
          ? random_problem(arguments.random, static_cast<std::uint64_t>(arguments.seed))
          : read_tsplib_file(arguments.file);
  if (!arguments.tour_file.empty() && arguments.tour_file != "-")
    programs::check_writable(arguments.tour_file);
  find_first_tour(problem, arguments.starts);
  return problem;
}

void write(const Arguments& arguments, const Found& best) {
  const auto length = static_cast<Length>(best.rank >> 32);
  if (arguments.tour_file == "-") return write_tour(std::cout, arguments.name(), best.tour, length);
  std::cout << to_text(best) << '\n';
  if (arguments.tour_file.empty()) return;
  std::ofstream out(arguments.tour_file);
  write_tour(out, arguments.name(), best.tour, length);
  if (!out.flush())
    throw programs::BadInput(
        fmt::format("{}: can't be written: {}", arguments.tour_file, std::strerror(errno)));
}

int root(int argc, char** argv) {
  Arguments given;
  programs::Command command("tsp", "The shortest tour of some cities, by branch and bound.");
  command.add_text("FILE", given.file, "a symmetric problem in TSPLIB's format");
  const auto random =
      command.add_number("--random", given.random, "or so many cities in a square", 1, most_cities);
  command
      .add("--seed", given.seed, "where they are", std::int64_t{0},
           std::numeric_limits<std::int64_t>::max())
      .needs(random);
  command.add("--starts", given.starts, "tours to try before the search", 1, most_cities);
  command.add_text("--tour", given.tour_file,
                   "write the tour to this file as well (-: instead, to standard output)");

  std::optional<Problem> problem;
  const auto read = [&]() -> const Problem& {
    if (!problem) problem = problem_of(given);
    return *problem;
  };
  return command.run(
      argc, argv, [&] { return shortest_tour(read()); },
      [&] { return shortest_tour_sequential(read()); },
      [&](const Found& best) { return wrong(read(), best); },
      [&](const Found& best) { write(given, best); });
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
