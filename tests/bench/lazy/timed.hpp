// What the programs here share: the result on standard output, the seconds it took on standard
// error, as their GHC versions print them.
#pragma once

#include <chrono>
#include <iostream>

namespace lazy_bench {

template <class Compute>
int print_timed(Compute compute) {
  const auto begin = std::chrono::steady_clock::now();
  std::cout << compute() << '\n';
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::cerr << "elapsed: " << seconds.count() << " s\n";
  return 0;
}

}  // namespace lazy_bench
