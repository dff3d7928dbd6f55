// sample_sort N: random numbers, made where they lie, in order; no PE has all of them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <stdexcept>
#include <vector>

#include <trawl/dist.hpp>
#include <trawl/trawl.hpp>

#include "programs/common/command.hpp"

namespace {

using Number = std::uint64_t;

/// The i-th random number: of different i and one seed different ones.
Number number(std::size_t i, Number seed) {
  constexpr Number odd = 0x9e3779b97f4a7c15U;
  Number x = (i + seed * odd + 1) * odd;
  for (int round = 0; round < 2; ++round) x = (x ^ (x >> 32U)) * odd;
  return x ^ (x >> 29U);
}

/// What is known of some numbers in a row.
struct Summary {
  std::uint64_t count = 0;
  Number first = 0;
  Number last = 0;
  bool in_order = true;
  std::uint64_t sum = 0;    // of scrambled numbers: the same in any order
  std::uint64_t order = 0;  // of numbers times powers of `base`: another in any other order
  std::uint64_t power = 1;  // base to the count

  friend bool operator==(const Summary&, const Summary&) = default;
};

constexpr std::uint64_t base = 0x2545f4914f6cdd1dU;

Summary joined(const Summary& a, const Summary& b) {
  return {a.count + b.count,
          a.first,
          b.last,
          a.in_order && b.in_order && a.last <= b.first,
          a.sum + b.sum,
          a.order * b.power + b.order,
          a.power * b.power};
}

/// Of some numbers, of which there is one at least.
Summary summary_of(const std::vector<Number>& numbers) {
  Summary all{0, numbers.front(), numbers.back()};
  all.in_order = std::is_sorted(numbers.begin(), numbers.end());
  all.count = numbers.size();
  for (const auto x : numbers) {
    all.sum += number(x, 0);
    all.order = all.order * base + x;
    all.power *= base;
  }
  return all;
}

Summary sorted_sequential(std::size_t n, Number seed) {
  std::vector<Number> numbers(n);
  for (std::size_t i = 0; i < n; ++i) numbers[i] = number(i, seed);
  std::sort(numbers.begin(), numbers.end());
  return summary_of(numbers);
}

void print(const Summary& sorted) {
  std::cout << sorted.count << " numbers from " << sorted.first << " to " << sorted.last << ", sum "
            << sorted.sum << ", order " << sorted.order << '\n';
}

// ---- in parallel -------------------------------------------------------------------------------

Summary sorted_parallel(std::size_t n, Number seed) {
  auto numbers = trawl::generate<number>(n, seed);
  const auto before = trawl::reduce<summary_of, joined>(numbers);
  numbers = trawl::sort(numbers);
  const auto after = trawl::force(trawl::reduce<summary_of, joined>(numbers));
  if (!after.in_order || after.count != n || after.sum != trawl::force(before).sum)
    throw std::logic_error("these are not the same numbers in order");
  return after;
}

// ------------------------------------------------------------------------------------------------

int root(int argc, char** argv) {
  constexpr std::size_t most = std::size_t{1} << 40U;
  std::size_t n = 1'000'000;
  Number seed = 1;
  programs::Command command(
      "sample_sort",
      "Sorts random numbers: how many, from which to which, and two checksums: "
      "the first does not depend on their order, the second does.");
  command.add("--numbers", n, "how many", std::size_t{1}, most);
  command.add("--seed", seed, "of which random numbers", Number{0}, Number{UINT64_MAX});
  return command.run(
      argc, argv, [&] { return sorted_parallel(n, seed); },
      [&] { return sorted_sequential(n, seed); },
      [&](const Summary& sorted) {
        return sorted == sorted_sequential(n, seed) ? "" : "the sequential result is another";
      },
      print);
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
