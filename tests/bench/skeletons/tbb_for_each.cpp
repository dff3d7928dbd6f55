// The root of each number, by oneTBB. tbb_for_each [N [ROUNDS]]
#include <cmath>
#include <vector>

#include <oneapi/tbb/parallel_for.h>

#include "tests/bench/skeletons/loops.hpp"

namespace {

void roots(const std::vector<double>& xs, std::vector<double>& ys) {
  oneapi::tbb::parallel_for(std::size_t{0}, xs.size(),
                            [&](std::size_t i) { ys[i] = std::sqrt(xs[i]); });
}

}  // namespace

int main(int argc, char** argv) {
  return bench::for_each(argc, argv, roots);
}
