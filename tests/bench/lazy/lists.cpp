// lists NUMBERS PRIMES: quicksort of a lazy list of so many random numbers, and Turner's sieve up
// to that many primes beside it. Prints the sum of (place x number) of the sorted list, and the
// prime.
#include <cstdint>

#include <trawl/trawl.hpp>

#include "tests/bench/lazy/timed.hpp"

namespace {

using trawl::force;
using trawl::Lazy;

/// The empty list has no tail.
struct List {
  long head = 0;
  Lazy<List> tail;

  bool empty() const { return !tail; }
};

template <auto Keep>
List filter(long with, Lazy<List> at) {
  for (;;) {
    const List& list = force(at);
    if (list.empty()) return {};
    if (Keep(list.head, with)) return {list.head, trawl::lazy<filter<Keep>>(with, list.tail)};
    at = list.tail;
  }
}

List append(Lazy<List> first, Lazy<List> second) {
  const List& list = force(first);
  if (list.empty()) return force(second);
  return {list.head, trawl::lazy<append>(list.tail, second)};
}

// ---- quicksort ---------------------------------------------------------------------------------

List random_numbers(long count, std::uint64_t state) {
  if (count == 0) return {};
  const std::uint64_t next = (state * 1103515245 + 12345) % 2147483648;
  return {static_cast<long>(next), trawl::lazy<random_numbers>(count - 1, next)};
}

bool below(long x, long pivot) {
  return x < pivot;
}
bool not_below(long x, long pivot) {
  return x >= pivot;
}

List sort(Lazy<List> numbers) {
  const List& list = force(numbers);
  if (list.empty()) return {};
  const auto less = trawl::lazy<filter<below>>(list.head, list.tail);
  const auto more = trawl::lazy<filter<not_below>>(list.head, list.tail);
  const Lazy<List> upper(List{list.head, trawl::lazy<sort>(more)});
  return append(trawl::lazy<sort>(less), upper);
}

/// The list, all of it evaluated.
List whole(const List& list) {
  for (Lazy<List> at(list); !force(at).empty(); at = force(at).tail) {
  }
  return list;
}

/// Sorts the parts of the list beside each other, so many levels deep.
List sort_beside(Lazy<List> numbers, int levels) {
  if (levels == 0) return whole(sort(numbers));
  const List& list = force(numbers);
  if (list.empty()) return {};
  const auto more =
      trawl::lazy<sort_beside>(trawl::lazy<filter<not_below>>(list.head, list.tail), levels - 1);
  trawl::par(more);
  const auto less =
      trawl::lazy<sort_beside>(trawl::lazy<filter<below>>(list.head, list.tail), levels - 1);
  force(less);
  return whole(append(less, Lazy<List>(List{list.head, more})));
}

std::uint64_t checksum(Lazy<List> at) {
  std::uint64_t sum = 0;
  for (std::uint64_t place = 1;; ++place) {
    const List& list = force(at);
    if (list.empty()) return sum;
    sum += place * static_cast<std::uint64_t>(list.head);
    at = list.tail;
  }
}

// ---- sieve -------------------------------------------------------------------------------------

bool is_no_multiple(long x, long prime) {
  return x % prime != 0;
}

List count_from(long n) {
  return {n, trawl::lazy<count_from>(n + 1)};
}

List sieve(Lazy<List> numbers) {
  const List& list = force(numbers);
  return {list.head, trawl::lazy<sieve>(trawl::lazy<filter<is_no_multiple>>(list.head, list.tail))};
}

long prime(int which) {
  Lazy<List> at = trawl::lazy<sieve>(trawl::lazy<count_from>(2));
  while (--which > 0) at = force(at).tail;
  return force(at).head;
}

// ------------------------------------------------------------------------------------------------

int root(int argc, char** argv) {
  const auto sizes = lazy_bench::sizes(argc, argv, {"NUMBERS", "PRIMES"});
  const long numbers = sizes[0];
  const int primes = sizes[1];
  return lazy_bench::print_timed([=] {
    const auto last_prime = trawl::par(trawl::lazy<prime>(primes));
    const auto sum = checksum(
        trawl::lazy<sort_beside>(trawl::lazy<random_numbers>(numbers, std::uint64_t{1}), 5));
    return std::to_string(sum) + ' ' + std::to_string(force(last_prime));
  });
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
