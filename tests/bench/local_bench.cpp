// What annotations cost on one worker, beside the same work without them and with oneTBB.
#include <benchmark/benchmark.h>
#include <tbb/task_group.h>
#include <trawl.hpp>

namespace {

// One real call a node, as in the others: left alone, g++ turns every second one into a loop and
// inlines the recursion into itself, which nearly halves the time.
[[gnu::noinline, gnu::noclone, gnu::optimize("no-optimize-sibling-calls")]] long calls(int n) {
  return n < 2 ? n : calls(n - 1) + calls(n - 2);
}

long spawns(int n) {
  if (n < 2) return n;
  auto x = trawl::spawn<spawns>(n - 1);
  const long y = spawns(n - 2);
  return x.sync() + y;
}

long thunks(int n) {
  if (n < 2) return n;
  const auto x = trawl::par(trawl::lazy<thunks>(n - 1));
  const long y = thunks(n - 2);
  return trawl::force(x) + y;
}

long tasks(int n) {
  if (n < 2) return n;
  long x = 0;
  tbb::task_group group;
  group.run([&x, n] { x = tasks(n - 1); });
  const long y = tasks(n - 2);
  group.wait();
  return x + y;
}

template <long (*Fib)(int)>
void fib(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(Fib(n));
  // fib(n) makes fib(n + 1) - 1 spawns.
  state.counters["ns_each"] = benchmark::Counter(
      static_cast<double>(calls(n + 1) - 1) * 1e-9,
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

BENCHMARK(fib<calls>)->Arg(35)->Name("fib/calls")->Unit(benchmark::kMillisecond)->MinTime(1);
BENCHMARK(fib<spawns>)->Arg(35)->Name("fib/spawn")->Unit(benchmark::kMillisecond)->MinTime(1);
BENCHMARK(fib<thunks>)->Arg(30)->Name("fib/lazy")->Unit(benchmark::kMillisecond)->MinTime(1);
BENCHMARK(fib<tasks>)->Arg(25)->Name("fib/tbb")->Unit(benchmark::kMillisecond)->MinTime(1);

int root(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
