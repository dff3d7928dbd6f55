// The sum of squares, by here::. here_reduce [N [ROUNDS]]
#include <functional>
#include <vector>

#include <trawl/here.hpp>
#include <trawl/trawl.hpp>

#include "tests/bench/skeletons/loops.hpp"

namespace {

double squares(const std::vector<double>& xs) {
  return trawl::here::reduce(
      xs.size(), 0.0, [&](std::size_t i) { return xs[i] * xs[i]; }, std::plus<>());
}

int root(int argc, char** argv) {
  return bench::reduce(argc, argv, squares);
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
