// Records in order of a member, by here::, stably. here_sort_records [N [ROUNDS]]
#include <vector>

#include <trawl/here.hpp>
#include <trawl/trawl.hpp>

#include "tests/bench/skeletons/loops.hpp"

namespace {

void in_order(std::vector<bench::Record>& xs) {
  trawl::here::sort(xs, bench::before);
}

int root(int argc, char** argv) {
  return bench::sort_records(argc, argv, in_order);
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
