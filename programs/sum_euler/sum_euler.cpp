// sum_euler N: the sum of Euler's totients of 1 to N, as in GpH's sumEuler. A totient is counted,
// not computed from factors: the program is about work of uneven size, not about number theory.
#include <algorithm>
#include <vector>

#include <trawl/trawl.hpp>

#include "programs/common/command.hpp"
#include "programs/common/progress.hpp"

namespace {

long gcd(long a, long b) {
  while (b != 0) {
    const long rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/// How many of 1 to n have no divisor in common with n.
long totient(long n) {
  long count = 0;
  for (long k = 1; k <= n; ++k)
    if (gcd(n, k) == 1) ++count;
  return count;
}

long sum_totients(long from, long to) {
  long sum = 0;
  for (long n = from; n <= to; ++n) sum += totient(n);
  return sum;
}

// ---- in parallel -------------------------------------------------------------------------------

// The chunks of large numbers, which take longest, come first: the small ones fill the gaps at the
// end.
long sum_euler(long n, long chunk) {
  std::vector<trawl::Lazy<long>> sums;
  for (long to = n; to >= 1; to -= chunk)
    sums.push_back(trawl::lazy<sum_totients>(std::max(1L, to - chunk + 1), to));

  trawl::apply(sums, trawl::par_list(trawl::rseq));

  long total = 0;
  programs::Progress progress("chunks", sums.size());
  for (const auto& sum : sums) {
    total += trawl::force(sum);
    progress.advance_in(sums);
  }
  return total;
}

// ------------------------------------------------------------------------------------------------

int root(int argc, char** argv) {
  constexpr long largest = 10'000'000;
  long n = 0;
  long chunk = 100;
  programs::Command command("sum_euler", "The sum of Euler's totients of 1 to N.");
  command.add("N", n, "the largest number", 1L, largest);
  command.add("--chunk", chunk, "numbers in a spark", 1L, largest);
  return command.run(
      argc, argv, [&] { return sum_euler(n, chunk); }, [&] { return sum_totients(1, n); });
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
