// tree_fold HEIGHT: a tree of random shape, at most so high, is grown as the first fold walks it
// and walked again by the second. Prints the sum of its labels and its height.
#include <algorithm>
#include <cstdint>

#include <trawl/trawl.hpp>

#include "tests/bench/lazy/timed.hpp"

namespace {

using trawl::force;
using trawl::Lazy;

/// A leaf has no left and no right.
struct Tree {
  std::uint64_t label;
  Lazy<Tree> left;
  Lazy<Tree> right;
};

std::uint64_t mixed(std::uint64_t x) {  // splitmix64
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

Tree grow(std::uint64_t seed, int height) {
  const auto label = mixed(seed);
  if (height == 0 || label % 16 == 0) return {label % 1000, {}, {}};
  return {label % 1000, trawl::lazy<grow>(label + 1, height - 1),
          trawl::lazy<grow>(label + 2, height - 1)};
}

template <auto Combine>
std::uint64_t fold(Lazy<Tree> at) {
  const Tree& tree = force(at);
  if (!tree.left) return Combine(tree.label, 0, 0);
  auto right = trawl::spawn<fold<Combine>>(tree.right);
  const auto left = fold<Combine>(tree.left);
  return Combine(tree.label, left, right.sync());
}

std::uint64_t sum(std::uint64_t label, std::uint64_t left, std::uint64_t right) {
  return label + left + right;
}

std::uint64_t higher(std::uint64_t, std::uint64_t left, std::uint64_t right) {
  return 1 + std::max(left, right);
}

int root(int argc, char** argv) {
  const int height = lazy_bench::sizes(argc, argv, {"HEIGHT"})[0];
  return lazy_bench::print_timed([height] {
    const auto tree = trawl::lazy<grow>(std::uint64_t{1}, height);
    const auto total = fold<sum>(tree);
    return std::to_string(total) + ' ' + std::to_string(fold<higher>(tree));
  });
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
