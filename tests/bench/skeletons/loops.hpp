// What the loops inside one process share: data, what is timed, and what they answer.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/bench/skeletons/timed.hpp"

namespace bench {

inline std::vector<double> small_numbers(std::size_t n) {
  std::vector<double> xs(n);
  for (std::size_t i = 0; i < n; ++i) xs[i] = static_cast<double>(number(i) % 1000);
  return xs;
}

/// `roots(xs, ys)`, of n numbers, so often.
template <class Roots>
int for_each(int argc, char** argv, Roots roots) {
  const auto xs = small_numbers(word(argc, argv, 1, std::size_t{1} << 23U));
  std::vector<double> ys(xs.size());
  Timed timed;
  for (auto round = word(argc, argv, 2, 15); round > 0; --round)
    timed.time([&] {
      roots(xs, ys);
      return true;
    });
  double sum = 0;
  for (const double y : ys) sum += std::floor(100 * y);
  timed.print(sum);
  return 0;
}

/// `squares(xs)`, likewise: their sum is exact.
template <class Squares>
int reduce(int argc, char** argv, Squares squares) {
  const auto xs = small_numbers(word(argc, argv, 1, std::size_t{1} << 23U));
  Timed timed;
  double sum = 0;
  for (auto round = word(argc, argv, 2, 15); round > 0; --round)
    sum = timed.time([&] { return squares(xs); });
  timed.print(sum);
  return 0;
}

/// `in_order(xs)`, each time of the same random elements. `number_of` says what these are sorted
/// by.
template <class T, class Make, class InOrder, class NumberOf>
int sort_made(int argc, char** argv, std::size_t n, Make make, InOrder in_order,
              NumberOf number_of) {
  std::vector<T> made(n);
  for (std::size_t i = 0; i < n; ++i) made[i] = make(i);
  Timed timed;
  std::uint64_t sum = 0;
  for (auto round = word(argc, argv, 2, 5); round > 0; --round) {
    auto xs = made;
    timed.time([&] {
      in_order(xs);
      return true;
    });
    sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += number_of(xs[i]) * i;
  }
  timed.print(sum);
  return 0;
}

template <class InOrder>
int sort(int argc, char** argv, InOrder in_order) {
  const auto n = word(argc, argv, 1, std::size_t{1} << 23U);
  return sort_made<std::uint64_t>(argc, argv, n, number, in_order,
                                  [](std::uint64_t x) { return x; });
}

struct Record {
  std::uint64_t key = 0;
  std::uint64_t what = 0;
};

inline bool before(const Record& a, const Record& b) {
  return a.key < b.key;
}

/// Half as many, which are twice as large.
template <class InOrder>
int sort_records(int argc, char** argv, InOrder in_order) {
  const auto n = word(argc, argv, 1, std::size_t{1} << 23U) / 2;
  return sort_made<Record>(
      argc, argv, n,
      [](std::size_t i) {
        return Record{number(i), i};
      },
      in_order, [](const Record& x) { return x.key; });
}

}  // namespace bench
