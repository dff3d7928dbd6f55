// What annotations cost, beside the same work without them and with oneTBB: fib, queens and
// integrate without cutoff, and fib with lazy thunks. Run with --trawl:workers=N, or under mpiexec;
// oneTBB gets one thread.
#include <array>
#include <cmath>
#include <cstdint>

#include <benchmark/benchmark.h>
#include <tbb/global_control.h>
#include <tbb/task_group.h>
#include <trawl/trawl.hpp>

#include "tests/bench/inside.hpp"

namespace {

// ---- fib: nothing but calls --------------------------------------------------------------------

// One real call a node, as in the others: left alone, g++ turns every second one into a loop and
// inlines the recursion into itself, which nearly halves the time.
[[gnu::noinline, gnu::noclone, gnu::optimize("no-optimize-sibling-calls")]] long fib_calls(int n) {
  return n < 2 ? n : fib_calls(n - 1) + fib_calls(n - 2);
}

long fib_spawns(int n) {
  if (n < 2) return n;
  auto x = trawl::spawn<fib_spawns>(n - 1);
  const long y = fib_spawns(n - 2);
  return x.sync() + y;
}

long fib_thunks(int n) {
  if (n < 2) return n;
  const auto x = trawl::par(trawl::lazy<fib_thunks>(n - 1));
  const long y = fib_thunks(n - 2);
  return trawl::force(x) + y;
}

long fib_tasks(int n) {
  if (n < 2) return n;
  long x = 0;
  tbb::task_group group;
  group.run([&x, n] { x = fib_tasks(n - 1); });
  const long y = fib_tasks(n - 2);
  group.wait();
  return x + y;
}

template <long (*Fib)(int)>
void fib(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(Fib(n));
  // fib(n) makes fib(n + 1) - 1 spawns.
  state.counters["ns_each"] = benchmark::Counter(
      static_cast<double>(fib_calls(n + 1) - 1) * 1e-9,
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

// ---- queens: a board goes with each call -------------------------------------------------------

constexpr int queens_size = 12;
constexpr long queens_solutions = 14200;

struct Board {
  std::int8_t rows = 0;
  std::array<std::int8_t, queens_size> column{};  // of the queen in each row

  bool is_free(int next) const {
    for (int row = 0; row < rows; ++row) {
      const int aside = column[static_cast<std::size_t>(row)] - next;
      const int above = rows - row;
      if (aside == 0 || aside == above || aside == -above) return false;
    }
    return true;
  }
  Board with(int next) const {
    Board board = *this;
    board.column[static_cast<std::size_t>(board.rows++)] = static_cast<std::int8_t>(next);
    return board;
  }
};

long queens_calls(const Board& board) {
  if (board.rows == queens_size) return 1;
  long count = 0;
  for (int column = 0; column < queens_size; ++column)
    if (board.is_free(column)) count += queens_calls(board.with(column));
  return count;
}

long queens_spawns(const Board& board);

long queens_spawns_from(const Board& board, int column) {
  while (column < queens_size && !board.is_free(column)) ++column;
  if (column == queens_size) return 0;
  auto here = trawl::spawn<queens_spawns>(board.with(column));
  const long further = queens_spawns_from(board, column + 1);
  return here.sync() + further;
}

long queens_spawns(const Board& board) {
  return board.rows == queens_size ? 1 : queens_spawns_from(board, 0);
}

long queens_tasks(const Board& board) {
  if (board.rows == queens_size) return 1;
  std::array<long, queens_size> counts{};
  tbb::task_group group;
  for (int column = 0; column < queens_size; ++column)
    if (board.is_free(column))
      group.run([&count = counts[static_cast<std::size_t>(column)], next = board.with(column)] {
        count = queens_tasks(next);
      });
  group.wait();
  long sum = 0;
  for (const long count : counts) sum += count;
  return sum;
}

template <long (*Queens)(const Board&)>
void queens(benchmark::State& state) {
  for (auto _ : state)
    if (Queens(Board{}) != queens_solutions) state.SkipWithError("wrong number of solutions");
}

// ---- integrate: tiny leaves --------------------------------------------------------------------

double height(double x) {
  return (x * x + 1.0) * x;
}

struct Halves {
  double middle, at_middle, area;
  bool will_do;

  Halves(double from, double to, double at_from, double at_to)
      : middle((from + to) / 2), at_middle(height(middle)) {
    const double whole = (at_from + at_to) * (to - from) / 2;
    area = (at_from + 2 * at_middle + at_to) * (to - from) / 4;
    will_do = std::abs(area - whole) <= 1e-9;
  }
};

[[gnu::noinline, gnu::noclone]] double area_calls(double from, double to, double at_from,
                                                  double at_to) {
  const Halves half(from, to, at_from, at_to);
  if (half.will_do) return half.area;
  const double right = area_calls(half.middle, to, half.at_middle, at_to);
  return area_calls(from, half.middle, at_from, half.at_middle) + right;
}

double area_spawns(double from, double to, double at_from, double at_to) {
  const Halves half(from, to, at_from, at_to);
  if (half.will_do) return half.area;
  auto right = trawl::spawn<area_spawns>(half.middle, to, half.at_middle, at_to);
  const double left = area_spawns(from, half.middle, at_from, half.at_middle);
  return left + right.sync();
}

double area_tasks(double from, double to, double at_from, double at_to) {
  const Halves half(from, to, at_from, at_to);
  if (half.will_do) return half.area;
  double right = 0;
  tbb::task_group group;
  group.run([&] { right = area_tasks(half.middle, to, half.at_middle, at_to); });
  const double left = area_tasks(from, half.middle, at_from, half.at_middle);
  group.wait();
  return left + right;
}

template <double (*Area)(double, double, double, double)>
void integrate(benchmark::State& state) {
  constexpr double to = 1000;
  constexpr double expected = to * to * (to * to / 4 + 0.5);
  for (auto _ : state)
    if (std::abs(Area(0, to, height(0), height(to)) - expected) > 1)
      state.SkipWithError("wrong area");
}

// ------------------------------------------------------------------------------------------------

void add(const char* name, void (*benchmark)(benchmark::State&), int argument = 0) {
  benchmark::RegisterBenchmark(name, benchmark)
      ->Arg(argument)
      ->Unit(benchmark::kMillisecond)
      ->MinTime(0.5)
      ->UseRealTime();
}

int root(int argc, char** argv) {
  constexpr int tasks_fib = 25;
  const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);
  add("fib/calls", fib<fib_calls>, 35);
  add("fib/spawn", fib<fib_spawns>, 35);
  add("fib/lazy", fib<fib_thunks>, 30);
  add("fib/tbb", fib<fib_tasks>, tasks_fib);
  add("queens/calls", queens<queens_calls>);
  add("queens/spawn", queens<queens_spawns>);
  add("queens/tbb", queens<queens_tasks>);
  add("integrate/calls", integrate<area_calls>);
  add("integrate/spawn", integrate<area_spawns>);
  add("integrate/tbb", integrate<area_tasks>);
  return bench::run_all(argc, argv);
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
