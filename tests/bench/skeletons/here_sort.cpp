// Numbers in order, by here::. here_sort [N [ROUNDS]]
#include <cstdint>
#include <vector>

#include <trawl/here.hpp>
#include <trawl/trawl.hpp>

#include "tests/bench/skeletons/loops.hpp"

namespace {

void in_order(std::vector<std::uint64_t>& xs) {
  trawl::here::sort(xs);
}

int root(int argc, char** argv) {
  return bench::sort(argc, argv, in_order);
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
