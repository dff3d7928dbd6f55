// What the programs here share: their sizes; the result on standard output, the seconds it took on
// standard error, as their GHC versions print them.
#pragma once

#include <chrono>
#include <cstdlib>
#include <initializer_list>
#include <iostream>
#include <utility>
#include <vector>

#include "tests/bench/read_number.hpp"

namespace lazy_bench {

/// What the root is given: a number from 1 on for each of the names. Else it ends with its usage.
inline std::vector<int> sizes(int argc, char** argv, std::initializer_list<const char*> names) {
  std::vector<int> all;
  for (int i = 1; all.size() < names.size(); ++i) {
    const auto size = bench::read_number(i < argc ? argv[i] : "");
    if (size && *size > 0 && std::in_range<int>(*size)) {
      all.push_back(static_cast<int>(*size));
      continue;
    }
    std::cerr << "usage: " << argv[0];
    for (const char* name : names) std::cerr << ' ' << name;
    std::cerr << " (numbers from 1 on)\n";
    std::exit(2);
  }
  return all;
}

template <class Compute>
int print_timed(Compute compute) {
  const auto begin = std::chrono::steady_clock::now();
  std::cout << compute() << '\n';
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::cerr << "elapsed: " << seconds.count() << " s\n";
  return 0;
}

}  // namespace lazy_bench
