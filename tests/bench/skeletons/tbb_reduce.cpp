// The sum of squares, by oneTBB. tbb_reduce [N [ROUNDS]]
#include <functional>
#include <vector>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_reduce.h>

#include "tests/bench/skeletons/loops.hpp"

namespace {

double squares(const std::vector<double>& xs) {
  using Range = oneapi::tbb::blocked_range<std::size_t>;
  return oneapi::tbb::parallel_deterministic_reduce(
      Range(0, xs.size(), 4096), 0.0,
      [&](const Range& range, double sum) {
        for (auto i = range.begin(); i != range.end(); ++i) sum += xs[i] * xs[i];
        return sum;
      },
      std::plus<>());
}

}  // namespace

int main(int argc, char** argv) {
  return bench::reduce(argc, argv, squares);
}
