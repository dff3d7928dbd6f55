// tsp FILE | --random N: the shortest tour of N cities, by branch and bound.
#include <algorithm>
#include <atomic>
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

/// The least rank that this process has heard of. It is a hint: whoever knows less does more work
/// and comes to the same end.
std::atomic<Rank> heard{no_rank};

void hear(Rank rank) {
  Rank before = heard.load(std::memory_order_relaxed);
  while (rank < before && !heard.compare_exchange_weak(before, rank, std::memory_order_relaxed)) {
  }
}

/// Travels along with nodes and results, and takes the news with it: what its PE has heard of when
/// it leaves, the other has heard of when it arrives.
struct News {
  template <class Archive>
  void save(Archive& to) const {
    to(heard.load(std::memory_order_relaxed));
  }
  template <class Archive>
  void load(Archive& from) {
    Rank rank = no_rank;
    from(rank);
    hear(rank);
  }
};

struct Task {
  Node node;
  News news;
};

struct Answer {
  Found found;
  News news;
};

Answer search_all(trawl::Lazy<Problem> problem, const std::vector<Task>& tasks);

Answer search(trawl::Lazy<Problem> problem, const Task& task) {
  const Visit here = visit(trawl::force(problem), task.node, heard.load(std::memory_order_relaxed));
  Answer answer{found_at(task.node, here), {}};
  hear(answer.found.rank);
  if (here.children.empty()) return answer;
  std::vector<Task> tasks;
  for (const Node& child : here.children) tasks.push_back({child, {}});
  return search_all(problem, tasks);
}

/// Those on the right may be searched by others, while we search the one on the left.
Answer search_all(trawl::Lazy<Problem> problem, const std::vector<Task>& tasks) {
  if (tasks.size() == 1) return search(problem, tasks.front());
  auto right = trawl::spawn<search_all>(problem, std::vector<Task>(tasks.begin() + 1, tasks.end()));
  Answer left = search(problem, tasks.front());
  return {better(std::move(left.found), right.sync().found), {}};
}

/// The first levels of the tree are made into a list here, to show how far we are.
Found shortest_tour(const Problem& given) {
  const trawl::Lazy<Problem> problem(given);
  Found best{rank_of(given.first_length, 0), given.first};
  hear(best.rank);
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

  hear(best.rank);
  std::vector<trawl::Lazy<Answer>> answers;
  for (const Node& node : nodes) answers.push_back(trawl::lazy<search>(problem, Task{node, {}}));
  trawl::apply(answers, trawl::par_list(trawl::rseq));
  programs::Progress progress("subtrees searched", answers.size());
  for (const auto& answer : answers) {
    best = better(std::move(best), trawl::force(answer).found);
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
  if (!arguments.tour_file.empty()) programs::check_writable(arguments.tour_file);
  find_first_tour(problem, arguments.starts);
  return problem;
}

void write(const Arguments& arguments, const Found& best) {
  std::cout << to_text(best) << '\n';
  if (arguments.tour_file.empty()) return;
  std::ofstream out(arguments.tour_file);
  write_tour(out, arguments.name(), best.tour, static_cast<Length>(best.rank >> 32));
  if (!out.flush())
    throw programs::BadInput(fmt::format("{} can't be written", arguments.tour_file));
}

int root(int argc, char** argv) {
  Arguments given;
  programs::Command command("tsp", "The shortest tour of some cities, by branch and bound.");
  command.options().add_option("FILE", given.file, "a symmetric problem in TSPLIB's format");
  command.add("--random", given.random, "or so many cities in a square", 0, most_cities);
  command.add("--seed", given.seed, "where they are", std::int64_t{0},
              std::numeric_limits<std::int64_t>::max());
  command.add("--starts", given.starts, "tours to try before the search", 1, most_cities);
  command.options().add_option("--tour", given.tour_file, "write the tour to this file as well");

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
