// For how long a collection stops its PE, with 100 MB alive: in one list, in a tree, in arrays of
// numbers. Run with --trawl:workers=N.
#include <cstddef>
#include <vector>

#include <benchmark/benchmark.h>
#include <trawl/trawl.hpp>

#include "rts/heap/collect.hpp"
#include "tests/bench/inside.hpp"

namespace {

using trawl::Lazy;

constexpr long alive = 100'000'000;  // bytes

struct Cell {
  long value = 0;
  Lazy<Cell> next;
};

struct Tree {
  long value = 0;
  Lazy<Tree> left;
  Lazy<Tree> right;
};

template <class T>
constexpr long count = alive /
                       static_cast<long>((sizeof(T) + 8 + 15) / 16 * 16);  // with its header

Lazy<Cell> make_list() {
  Lazy<Cell> list;
  for (long i = 0; i < count<Cell>; ++i) list = Lazy<Cell>(Cell{i, list});
  return list;
}

Lazy<Tree> make_tree(long nodes) {
  if (nodes == 0) return {};
  const long left = (nodes - 1) / 2;
  return Lazy<Tree>(Tree{nodes, make_tree(left), make_tree(nodes - 1 - left)});
}

std::vector<Lazy<std::vector<double>>> make_arrays() {
  constexpr std::size_t length = 1000;
  std::vector<Lazy<std::vector<double>>> arrays;
  for (std::size_t i = 0; i < alive / (length * sizeof(double)); ++i)
    arrays.emplace_back(std::vector<double>(length, 1));
  return arrays;
}

void pause(benchmark::State& state, auto make) {
  auto live = make();
  trawl::heap::clear_finished_calls<4096>();
  trawl::heap::collect();
  for (auto _ : state) trawl::heap::collect();
  benchmark::DoNotOptimize(live);
  state.counters["MB"] = static_cast<double>(trawl::heap::collector_statistics().live_bytes) / 1e6;
}

BENCHMARK_CAPTURE(pause, list, make_list)->Unit(benchmark::kMillisecond)->Iterations(20);
BENCHMARK_CAPTURE(pause, tree, [] { return make_tree(count<Tree>); })
    ->Unit(benchmark::kMillisecond)
    ->Iterations(20);
BENCHMARK_CAPTURE(pause, arrays, make_arrays)->Unit(benchmark::kMillisecond)->Iterations(20);

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<bench::run_all>(argc, argv);
}
