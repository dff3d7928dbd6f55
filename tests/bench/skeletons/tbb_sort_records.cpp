// Records in order of a member, by oneTBB, not stably. tbb_sort_records [N [ROUNDS]]
#include <vector>

#include <oneapi/tbb/parallel_sort.h>

#include "tests/bench/skeletons/loops.hpp"

namespace {

void in_order(std::vector<bench::Record>& xs) {
  oneapi::tbb::parallel_sort(xs.begin(), xs.end(), bench::before);
}

}  // namespace

int main(int argc, char** argv) {
  return bench::sort_records(argc, argv, in_order);
}
