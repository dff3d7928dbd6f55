// A tree of evaluated nodes, made on one PE, walked there and then from the other, depth first:
// seconds a node, the median of several walks; what the second takes of the first is what fetching
// costs. Run as list_walk is.
#include <algorithm>
#include <array>
#include <vector>

#include <unistd.h>

#include "tests/bench/two_pes.hpp"

namespace {

using bench::Clock;
using bench::seconds_since;
using trawl::force;
using trawl::Lazy;

constexpr int depth = 20;
constexpr long nodes = (1L << depth) - 1;
constexpr long walks = 9;

struct Tree {
  long value = 0;
  Lazy<Tree> left;
  Lazy<Tree> right;
};

Lazy<Tree> grow(int levels, long value) {
  if (levels == 0) return {};
  const auto left = grow(levels - 1, 2 * value);
  const auto right = grow(levels - 1, 2 * value + 1);
  return Lazy<Tree>(Tree{value, left, right});
}

long sum_of(const Lazy<Tree>& tree) {
  if (!tree) return 0;
  const Tree& node = force(tree);
  return node.value + sum_of(node.left) + sum_of(node.right);
}

struct Walk {
  long sum = 0;
  double seconds = 0;
  long process = 0;  // who walked
};

Walk walk(Lazy<Tree> tree) {
  Walk done{0, 0, getpid()};
  const auto begin = Clock::now();
  done.sum = sum_of(tree);
  done.seconds = seconds_since(begin);
  return done;
}

void measure(benchmark::State& state, bool here) {
  std::vector<double> seconds;
  for (auto _ : state) {
    const auto tree = grow(depth, 1);
    const Walk done = here ? walk(tree) : bench::await(trawl::par(trawl::lazy<walk>(tree)));
    if (done.sum != nodes * (nodes + 1) / 2 || (done.process == getpid()) != here)
      return state.SkipWithError("wrong sum, or walked on the wrong PE");
    state.SetIterationTime(done.seconds);
    seconds.push_back(done.seconds);
  }
  std::nth_element(seconds.begin(), seconds.begin() + walks / 2, seconds.end());
  state.counters["each"] = seconds[walks / 2] / nodes;
}

void here(benchmark::State& state) {
  measure(state, true);
}
void tree(benchmark::State& state) {
  measure(state, false);
}

BENCHMARK(here)->UseManualTime()->Iterations(walks);
BENCHMARK(tree)->UseManualTime()->Iterations(walks);

}  // namespace

int main(int argc, char** argv) {
  return bench::main<bench::echo>(argc, argv);
}
