// Numbers in order, by oneTBB. tbb_sort [N [ROUNDS]]
#include <cstdint>
#include <vector>

#include <oneapi/tbb/parallel_sort.h>

#include "tests/bench/skeletons/loops.hpp"

namespace {

void in_order(std::vector<std::uint64_t>& xs) {
  oneapi::tbb::parallel_sort(xs.begin(), xs.end());
}

}  // namespace

int main(int argc, char** argv) {
  return bench::sort(argc, argv, in_order);
}
