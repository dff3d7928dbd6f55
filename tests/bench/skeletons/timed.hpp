// What the programs here share: what they are given, and how they say what they have measured.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "tests/bench/read_number.hpp"

namespace bench {

/// The i-th word of the command line as a number, or what there is by default.
inline std::size_t word(int argc, char** argv, int i, std::size_t otherwise) {
  if (i >= argc) return otherwise;
  if (const auto number = read_number(argv[i])) return *number;
  std::fprintf(stderr, "%s is no number\n", argv[i]);
  std::exit(2);
}

/// The i-th of some random numbers.
inline std::uint64_t number(std::size_t i) {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15U;
  std::uint64_t x = (i + 1) * odd;
  for (int round = 0; round < 2; ++round) x = (x ^ (x >> 32U)) * odd;
  return x ^ (x >> 29U);
}

class Timed {
 public:
  /// Makes the call `work()`, of which the time counts.
  template <class Work>
  auto time(Work work) {
    const auto begin = std::chrono::steady_clock::now();
    auto result = work();
    const auto taken = std::chrono::steady_clock::now() - begin;
    seconds_.push_back(std::chrono::duration<double>(taken).count());
    return result;
  }

  /// A line: an answer, which the peer has to have too, and the median of the seconds.
  template <class Answer>
  void print(Answer answer) {
    std::sort(seconds_.begin(), seconds_.end());
    std::printf("%lld %.6f\n", static_cast<long long>(answer), seconds_[seconds_.size() / 2]);
  }

 private:
  std::vector<double> seconds_;
};

}  // namespace bench
