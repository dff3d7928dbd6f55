// fib N: the N-th Fibonacci number by the slowest way there is. Nothing is computed but calls: it
// measures what a spawn costs.
#include <trawl/trawl.hpp>

#include "programs/common/command.hpp"

namespace {

// One call a node, as the name of the measurement promises: left alone, g++ unrolls this recursion
// several levels deep and turns half of the calls into a loop.
[[gnu::noinline, gnu::noclone, gnu::optimize("no-optimize-sibling-calls")]] long fib_sequential(
    int n) {
  if (n < 2) return n;
  return fib_sequential(n - 1) + fib_sequential(n - 2);
}

// ---- in parallel -------------------------------------------------------------------------------

long fib(int n) {
  if (n < 2) return n;
  auto x = trawl::spawn<fib>(n - 1);
  const long y = fib(n - 2);
  return x.sync() + y;
}

long fib_above(int cutoff, int n) {
  if (n < cutoff) return fib_sequential(n);
  auto x = trawl::spawn<fib_above>(cutoff, n - 1);
  const long y = fib_above(cutoff, n - 2);
  return x.sync() + y;
}

// ------------------------------------------------------------------------------------------------

int root(int argc, char** argv) {
  constexpr int largest = 90;  // the last few that fit into 63 bits are beyond anybody's patience
  int n = 0;
  int cutoff = 0;
  programs::Command command("fib",
                            "The N-th Fibonacci number, by two calls for each but the first two.");
  command.add("N", n, "which one", 0, largest);
  command.add("--cutoff", cutoff, "below this number, calls are sequential", 0, largest);
  return command.run(
      argc, argv, [&] { return cutoff <= 2 ? fib(n) : fib_above(cutoff, n); },
      [&] { return fib_sequential(n); });
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
