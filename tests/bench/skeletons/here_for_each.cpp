// The root of each number, by here::. here_for_each [N [ROUNDS]]
#include <cmath>
#include <vector>

#include <trawl/here.hpp>
#include <trawl/trawl.hpp>

#include "tests/bench/skeletons/loops.hpp"

namespace {

void roots(const std::vector<double>& xs, std::vector<double>& ys) {
  trawl::here::for_each(xs.size(), [&](std::size_t i) { ys[i] = std::sqrt(xs[i]); });
}

int root(int argc, char** argv) {
  return bench::for_each(argc, argv, roots);
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
